// Errors and their paths. The path is not tracked during decoding: it is reconstructed for an error.
extension DecodingMachine {
    /// The keys that lead from the whole value to the one at `place`.
    func path(to place: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = Self.root
        if place >= Int(node(Self.root).next) {
            guard let missing = state.pointee.missing.first(where: { $0.place == place }) else { return [] }
            return self.path(to: missing.object) + [PlaceKey(missing.name)]
        }
        while container < place, place < state.pointee.nodes.count {
            guard let (key, child) = step(from: container, towards: place) else { break }
            path.append(key)
            container = child
        }
        return path
    }

    /// The child of a container that is the node at `place` or holds it.
    private func step(from container: Int, towards place: Int) -> (key: any CodingKey, child: Int)? {
        let isObject = node(container).kind == .object
        let end = Int(node(container).next)
        var child = container + 1
        var index = 0
        while child < end {
            let value = isObject ? child + 1 : child
            let next = Int(node(value).next)
            if place < next {
                let key = isObject ? PlaceKey(string(of: node(child)) ?? "") : PlaceKey(index: index)
                return (key, value)
            }
            child = next
            index += 1
        }
        return nil
    }

    /// A place for the value of a missing member, which is null there.
    func missingPlace(of name: String, in object: Int) -> Int {
        let place = state.pointee.nodes.count
        state.pointee.nodes.append(Node(kind: .null, offset: 0, length: 0, next: UInt32(place + 1)))
        state.pointee.missing.append((place, object, name))
        return place
    }

    /// A value of the right kind cannot be read; `reason` is a clause without contents of the payload.
    ///
    /// - Parameter isNamed: Whether the error has the path; of JSON's numbers and texts Foundation's errors have none.
    func corrupted(_ reason: String, at place: Int, isNamed: Bool = true) -> DecodingError {
        state.pointee.fault = Fault(place: place, reason: reason, error: reason)
        return .dataCorrupted(
            DecodingError.Context(codingPath: isNamed ? path(to: place) : [], debugDescription: reason))
    }

    /// Another value, or none, is in the place of one of `type`.
    ///
    /// Foundation's decoder reports null as a missing value, except where a `Bool` is expected.
    func mismatch(_ type: any Any.Type, at place: Int) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path(to: place),
            debugDescription: "Expected to decode \(type) but found \(words(for: node(place))) instead.")
        return node(place).kind == .null && type != Bool.self
            ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func words(for node: Node) -> String {
        switch node.kind {
        case .null: "null"
        case .true, .false: "bool"
        case .number: "number"
        case .text, .escapedText: "a string"
        case .array: "an array"
        case .object: "a dictionary"
        }
    }

    func missing(_ key: any CodingKey, in object: Int) -> DecodingError {
        state.pointee.choice = Choice(object, type(of: key))
        return .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: path(to: object),
                debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."))
    }
}

/// A key of a coding path: a name, or a place in an array.
struct PlaceKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}
