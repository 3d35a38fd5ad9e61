// Values at places.
extension EncodingMachine {
    /// Writes what is no container.
    @inline(__always)
    func single(_ place: EncodingPlace, _ write: (inout OutputBytes) -> Void) {
        if state.pointee.makeSingle(at: place) { write(&state.pointee.output) }
    }

    /// Writes an element that is no container.
    @inline(__always)
    func element(of place: EncodingPlace, _ write: (inout OutputBytes) -> Void) {
        if state.pointee.beginElement(of: place) { write(&state.pointee.output) }
    }

    /// Opens the place of a member's value.
    func memberPlace(
        _ key: String, of place: EncodingPlace, _ kind: EncodingState.Level.Kind = .empty
    ) -> EncodingPlace {
        guard let start = state.pointee.beginMember(key, of: place) else { return place }
        return state.pointee.open(kind, key: start)
    }

    /// Opens the place of an element.
    func elementPlace(of place: EncodingPlace, _ kind: EncodingState.Level.Kind = .empty) -> EncodingPlace {
        guard state.pointee.beginElement(of: place) else { return place }
        return state.pointee.open(kind, key: EncodingState.noKey)
    }

    /// A number that JSON has no form for.
    func noNumber<Number: BinaryFloatingPoint & CustomStringConvertible>(
        _ number: Number, at path: [any CodingKey]
    ) -> EncodingError {
        .invalidValue(
            number,
            EncodingError.Context(
                codingPath: path, debugDescription: "Unable to encode \(Number.self).\(number) directly in JSON."))
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
