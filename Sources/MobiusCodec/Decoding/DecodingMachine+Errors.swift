// Errors, and where they are. Nobody keeps track of the path while all goes well: it is found again when it is asked for.
extension DecodingMachine {
    /// The keys that lead from the whole value to the one at `place`.
    func path(to place: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var container = Self.root
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

    func corrupted(_ reason: String, at path: [any CodingKey] = []) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: reason))
    }

    /// There is another value, or none, where one of `type` is expected.
    func mismatch(_ type: any Any.Type, at place: Int) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path(to: place),
            debugDescription: "Expected to decode \(type) but found \(node(place).kind.words) instead.")
        return node(place).kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func missing(_ key: any CodingKey, in object: Int) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: path(to: object),
                debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."))
    }
}

extension Node.Kind {
    fileprivate var words: String {
        switch self {
        case .null: "null"
        case .true, .false: "bool"
        case .number: "number"
        case .text, .escapedText: "a string"
        case .array: "an array"
        case .object: "a dictionary"
        }
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
