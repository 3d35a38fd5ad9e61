// What is wrong with an object's keys or with a value, in words: the known names and the nearest one, or why a value cannot
// be read and where it is, which a `DecodingError` lacks.
extension DecodingMachine {
    /// A value that cannot be read.
    struct Fault {
        let place: Int
        /// A clause.
        let reason: String
        /// The description in the error that was thrown for it.
        let error: String
    }

    /// An object whose keys did not fit, and the type of the keys that were expected.
    struct Choice {
        let object: Int
        let keys: any CodingKey.Type

        init(_ object: Int, _ keys: any CodingKey.Type) {
            self.object = object
            self.keys = keys
        }
    }

    /// The place of a mistake and a clause about it.
    struct Explanation {
        let path: [String]
        let reason: String
    }

    /// Explains an error as long as its bytes are there; see ``State/explanation``.
    func explain(_ error: any Error) {
        switch error {
        case DecodingError.typeMismatch(_, let context):
            guard let choice = state.pointee.choice else { return }
            state.pointee.explanation = explanation(of: choice, at: context.codingPath)
        case DecodingError.keyNotFound(let key, let context):
            guard let choice = state.pointee.choice else { return }
            state.pointee.explanation = explanation(of: choice, missing: key, at: context.codingPath)
        case DecodingError.dataCorrupted(let context):
            // A type's own decoding may have caught an earlier one.
            guard let fault = state.pointee.fault, fault.error == context.debugDescription else { return }
            state.pointee.explanation = Explanation(
                path: path(to: fault.place).map(\.stringValue), reason: fault.reason)
        default: break
        }
    }

    /// Notes the values that an enum with raw values has, if the error says that this is none of them.
    @inline(never)
    func noteValues<Value>(of type: Value.Type, at place: Int, for error: any Error) {
        guard case DecodingError.dataCorrupted(let context) = error, context.underlyingError == nil,
            state.pointee.fault?.error != context.debugDescription, type is any RawRepresentable.Type,
            let values = CaseNames.values(of: type), !values.isEmpty
        else { return }
        let raw = values.compactMap { ($0 as? any RawRepresentable).map { "\($0.rawValue)" } }
        state.pointee.fault = Fault(
            place: place, reason: "it is none of \(Self.list(raw))", error: context.debugDescription)
    }

    /// An enum's object names no case, an unknown one, or several.
    private func explanation(of choice: Choice, at path: [any CodingKey]) -> Explanation? {
        let path = path.map(\.stringValue)
        guard self.path(to: choice.object).map(\.stringValue) == path else { return nil }
        let cases = CaseNames.of(choice.keys)
        guard !cases.isEmpty else { return nil }
        let list = Self.list(cases)
        let found = names(in: choice.object)
        let unknown = found.filter { !cases.contains($0) }
        switch (found.count, unknown.first) {
        case (0, _):
            return Explanation(path: path, reason: "a case is missing; the cases are \(list)")
        case (1, let name?):
            let meant = NearestName.of(name, in: cases).map { "did you mean \($0)? " } ?? "this is no case. "
            return Explanation(path: path + [Self.short(name)], reason: "\(meant)The cases are \(list)")
        default:
            let names = Self.list(found.map(Self.short))
            return Explanation(path: path, reason: "it has the keys \(names), but names one case only")
        }
    }

    /// A key is missing; perhaps it was mistyped.
    private func explanation(
        of choice: Choice, missing key: any CodingKey, at path: [any CodingKey]
    ) -> Explanation? {
        let path = path.map(\.stringValue)
        guard self.path(to: choice.object).map(\.stringValue) == path else { return nil }
        let known = CaseNames.of(choice.keys)
        let unknown = names(in: choice.object).filter { !known.contains($0) }
        guard let nearest = NearestName.of(key.stringValue, in: unknown) else { return nil }
        return Explanation(
            path: path + [Self.short(nearest)],
            reason: "did you mean \(key.stringValue)? The key \(key.stringValue) is missing")
    }

    private func names(in object: Int) -> [String] {
        guard object < state.pointee.nodes.count, node(object).kind == .object else { return [] }
        var names: [String] = []
        visitKeys(of: object) { if names.count < 64 { names.append($0) } }
        return names
    }

    /// At most twenty names.
    private static func list(_ names: [String]) -> String {
        let rest = names.count > 20 ? " and \(names.count - 20) more" : ""
        return names.prefix(20).joined(separator: ", ") + rest
    }

    /// A name from the payload, which may be long.
    private static func short(_ name: String) -> String { name.count > 60 ? "\(name.prefix(60))…" : name }
}

/// The names of all keys of a type, if it is an enum without values, as synthesised `CodingKeys` are.
enum CaseNames {
    /// The names in the order of their cases; none for other types, and for more than 255 cases.
    ///
    /// Source of the layout: include/swift/ABI/Metadata.h of the Swift project; `routeCase` reads the same words.
    static func of<Key: CodingKey>(_ type: Key.Type) -> [String] { values(of: type)?.map(\.stringValue) ?? [] }

    /// All values of an enum without associated values, in the order of its cases; `nil` for other types, and for more
    /// than 255 cases.
    static func values<Value>(of type: Value.Type) -> [Value]? {
        guard _isPOD(Value.self), MemoryLayout<Value>.size <= 1, let count = caseCount(of: type), count < 256 else {
            return nil
        }
        // Such an enum is its case's number, or nothing at all if it has one case.
        return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { memory in
            (0..<count).map { number in
                memory.storeBytes(of: UInt8(number), as: UInt8.self)
                return memory.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Value.self).pointee
            }
        }
    }

    private static func caseCount(of type: any Any.Type) -> Int? {
        let metadata = unsafeBitCast(type, to: UnsafePointer<Int>.self)
        guard metadata[0] == 0x201, let context = UnsafeRawPointer(bitPattern: metadata[1]) else { return nil }
        // Flags, parent, name, accessor and fields, of four bytes each; then the cases with values and those without.
        guard context.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF == 0 else { return nil }
        return Int(context.load(fromByteOffset: 24, as: UInt32.self))
    }
}
