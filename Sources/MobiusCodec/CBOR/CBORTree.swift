/// A value that is encoded as CBOR by a type that fills its containers out of order: the slow path.
///
/// Containers are kept separately until all are filled, and only then nested.
final class CBORTree {
    /// What was encoded at this place.
    enum Content {
        /// Nothing yet, which is an empty map in the end, as in JSON.
        case nothing
        /// A finished data item.
        case item([UInt8])
        case array([CBORTree])
        case map(Members)
    }

    /// The members of a map: their keys as data items, and their values.
    struct Members {
        fileprivate var pairs: [(key: [UInt8], value: CBORTree)] = []
        fileprivate var places: [[UInt8]: Int] = [:]
    }

    var content = Content.nothing

    /// Encodes a value whatever it does with its containers.
    static func encode<Value: Encodable>(
        _ value: Value, deterministic: Bool, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> [UInt8] {
        let root = CBORTree()
        let course = Course(userInfo: userInfo)
        try TreeEncoder(tree: root, course: course).write(value)
        if let error = course.error { throw error }
        if case .nothing = root.content {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "Top-level \(Value.self) did not encode any values."))
        }
        return item { root.write(into: &$0, deterministic: deterministic) }
    }

    /// The bytes that `write` writes.
    static func item(_ write: (inout OutputBytes) -> Void) -> [UInt8] {
        var output = OutputBytes()
        defer { output.deallocate() }
        output.isBinary = true
        write(&output)
        return Array(output.content)
    }

    /// The place of a key's value: a new one, or the one that is there.
    func member(_ key: [UInt8]) -> CBORTree {
        guard case .map(var members) = content else { return CBORTree() }
        if let place = members.places[key] { return members.pairs[place].value }
        let value = CBORTree()
        content = .nothing  // so that the members are not copied
        members.places[key] = members.pairs.count
        members.pairs.append((key, value))
        content = .map(members)
        return value
    }

    /// The place of the next element.
    func element() -> CBORTree {
        guard case .array(var elements) = content else { return CBORTree() }
        let element = CBORTree()
        content = .nothing
        elements.append(element)
        content = .array(elements)
        return element
    }

    private func write(into output: inout OutputBytes, deterministic: Bool) {
        switch content {
        case .nothing: output.append(CBORHead.emptyMap)
        case .item(let bytes): bytes.withUnsafeBufferPointer { output.append($0) }
        case .array(let elements):
            output.appendHead(.array, UInt64(elements.count))
            for element in elements { element.write(into: &output, deterministic: deterministic) }
        case .map(let members):
            var pairs = members.pairs
            if deterministic { pairs.sort { $0.key.lexicographicallyPrecedes($1.key) } }
            output.appendHead(.map, UInt64(pairs.count))
            for pair in pairs {
                pair.key.withUnsafeBufferPointer { output.append($0) }
                pair.value.write(into: &output, deterministic: deterministic)
            }
        }
    }

    /// The shared state of a tree's encoders: `userInfo`, and the first misuse of containers.
    final class Course {
        let userInfo: [CodingUserInfoKey: any Sendable]
        private(set) var error: EncodingError?

        init(userInfo: [CodingUserInfoKey: any Sendable]) {
            self.userInfo = userInfo
        }

        /// A place was a value or container of one kind, and is to be one of another.
        func noteMisuse(at path: [any CodingKey]) {
            note("A value was encoded here, and then one of another kind.", at: path)
        }

        /// A container is nested too deeply to be decoded.
        func noteDepth() {
            note("It is nested more than \(EncodingState.maximumDepth) levels deep.", at: [])
        }

        private func note(_ text: String, at path: [any CodingKey]) {
            let context = EncodingError.Context(codingPath: path, debugDescription: text)
            error = error ?? .invalidValue((), context)
        }
    }
}
