import Foundation

// Values at places.
extension EncodingMachine {
    /// Writes a value of any type: those that Foundation's JSON knows by itself, and those that encode themselves.
    func write<Value: Encodable>(_ value: Value, into place: EncodingPlace) throws {
        // `unsafeBitCast` is faster than `as!`, which looks for conformances.
        if Value.self == String.self { return single(place) { $0.appendText(unsafeBitCast(value, to: String.self)) } }
        if Value.self == Data.self {
            return single(place) { $0.appendText(unsafeBitCast(value, to: Data.self).base64EncodedString()) }
        }
        if Value.self == URL.self {
            return single(place) { $0.appendText(unsafeBitCast(value, to: URL.self).absoluteString) }
        }
        if Value.self == Decimal.self {
            return single(place) { $0.appendASCII(unsafeBitCast(value, to: Decimal.self).description) }
        }
        try value.encode(to: PlaceEncoder(machine: self, place: place))
    }

    /// Writes what is no container.
    func single(_ place: EncodingPlace, _ write: (inout OutputBytes) -> Void) {
        if state.pointee.makeSingle(at: place) { write(&state.pointee.output) }
    }

    /// Writes a member that is no container.
    func member(_ key: some CodingKey, of place: EncodingPlace, _ write: (inout OutputBytes) -> Void) {
        if state.pointee.beginMember(key, of: place) != nil { write(&state.pointee.output) }
    }

    /// Writes an element that is no container.
    func element(of place: EncodingPlace, _ write: (inout OutputBytes) -> Void) {
        if state.pointee.beginElement(of: place) { write(&state.pointee.output) }
    }

    /// Opens the place of a member's value.
    func memberPlace(
        _ key: some CodingKey, of place: EncodingPlace, _ kind: EncodingState.Level.Kind = .empty
    ) -> EncodingPlace {
        guard let start = state.pointee.beginMember(key, of: place) else { return place }
        return state.pointee.open(kind, key: start)
    }

    /// Opens the place of an element.
    func elementPlace(of place: EncodingPlace, _ kind: EncodingState.Level.Kind = .empty) -> EncodingPlace {
        guard state.pointee.beginElement(of: place) else { return place }
        return state.pointee.open(kind, key: EncodingState.noKey)
    }

    /// A floating-point number in the fewest digits that read back the same.
    func digits<Number: BinaryFloatingPoint & Encodable & CustomStringConvertible>(
        of number: Number, at path: () -> [any CodingKey]
    ) throws -> String {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number,
                EncodingError.Context(
                    codingPath: path(),
                    debugDescription: "Unable to encode \(Number.self).\(number) directly in JSON."))
        }
        var text = number.description
        if text.hasSuffix(".0") { text.removeLast(2) }
        return text
    }

    // MARK: - Paths

    /// The keys that lead to a place, read from what was written.
    func path(to place: EncodingPlace) -> [any CodingKey] {
        guard place.height < state.pointee.levels.count else { return [] }
        var path: [any CodingKey] = []
        for height in 0...Int(place.height) {
            let level = state.pointee.levels[height]
            if level.key != EncodingState.noKey {
                path.append(PlaceKey(state.pointee.output.key(writtenAt: level.key)))
            } else if height > 0, state.pointee.levels[height - 1].kind == .array {
                path.append(PlaceKey(index: Int(state.pointee.levels[height - 1].count) - 1))
            }
        }
        return path
    }
}
