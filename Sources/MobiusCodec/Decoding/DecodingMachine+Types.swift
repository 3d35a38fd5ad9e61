import Foundation

// Values of any type: built-in types, and types with their own `init(from:)`.
extension DecodingMachine {
    /// The way in which values of a type are decoded.
    enum Way {
        /// By the type's own `init(from:)`.
        case itself
        case bool, float, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
        /// As in Foundation's JSON, independent of their `init(from:)`.
        case data, url, decimal, date, uuid
        /// As the bytes that it is.
        case fragment
        /// An array, a dictionary of texts or an optional: like their own decoding, in a loop.
        case whole(any WholeDecodable.Type)

        init(_ type: any Any.Type) {
            self =
                switch type {
                case is Bool.Type: .bool
                case is Float.Type: .float
                case is Int8.Type: .int8
                case is Int16.Type: .int16
                case is Int32.Type: .int32
                case is Int64.Type: .int64
                case is UInt.Type: .uint
                case is UInt8.Type: .uint8
                case is UInt16.Type: .uint16
                case is UInt32.Type: .uint32
                case is UInt64.Type: .uint64
                case is Data.Type: .data
                case is URL.Type: .url
                case is Decimal.Type: .decimal
                case is Date.Type: .date
                case is UUID.Type: .uuid
                case is JSONFragment.Type: .fragment
                case let whole as any WholeDecodable.Type: .whole(whole)
                default: .itself
                }
        }
    }

    /// The value at a place, as a value of any type.
    func value<Value: Decodable>(_ place: Int, as type: Value.Type = Value.self) throws -> Value {
        // `unsafeBitCast` to the type that it is: faster than `as!`, which looks for conformances.
        if Value.self == String.self { return unsafeBitCast(try string(place), to: Value.self) }
        if Value.self == Int.self { return unsafeBitCast(try integer(place, as: Int.self), to: Value.self) }
        if Value.self == Double.self { return unsafeBitCast(try double(place), to: Value.self) }
        switch ways.knowledge(of: ObjectIdentifier(type), { Way(type) }) {
        case .itself:
            do {
                return try Value(from: NodeDecoder(self, at: place))
            } catch {
                noteValues(of: type, at: place, for: error)
                throw error
            }
        case .whole(let whole): return try decode(whole, at: place)
        case .bool: return unsafeBitCast(try bool(place), to: Value.self)
        case .float: return unsafeBitCast(try float(place), to: Value.self)
        case .int8: return unsafeBitCast(try integer(place, as: Int8.self), to: Value.self)
        case .int16: return unsafeBitCast(try integer(place, as: Int16.self), to: Value.self)
        case .int32: return unsafeBitCast(try integer(place, as: Int32.self), to: Value.self)
        case .int64: return unsafeBitCast(try integer(place, as: Int64.self), to: Value.self)
        case .uint: return unsafeBitCast(try integer(place, as: UInt.self), to: Value.self)
        case .uint8: return unsafeBitCast(try integer(place, as: UInt8.self), to: Value.self)
        case .uint16: return unsafeBitCast(try integer(place, as: UInt16.self), to: Value.self)
        case .uint32: return unsafeBitCast(try integer(place, as: UInt32.self), to: Value.self)
        case .uint64: return unsafeBitCast(try integer(place, as: UInt64.self), to: Value.self)
        case .data: return unsafeBitCast(try data(place), to: Value.self)
        case .url: return unsafeBitCast(try url(place), to: Value.self)
        case .decimal: return unsafeBitCast(try decimal(place), to: Value.self)
        case .date: return unsafeBitCast(try date(place), to: Value.self)
        case .uuid: return unsafeBitCast(try uuid(place), to: Value.self)
        case .fragment: return unsafeBitCast(try fragment(place), to: Value.self)
        }
    }

    private func decode<Value, Whole: WholeDecodable>(_ type: Whole.Type, at place: Int) throws -> Value {
        unsafeBitCast(try Whole.whole(at: place, of: self), to: Value.self)
    }
}

/// A type of the standard library that is read at once, with the same result as its `init(from:)`.
protocol WholeDecodable {
    static func whole(at place: Int, of machine: DecodingMachine) throws -> Self
}

extension Optional: WholeDecodable where Wrapped: Decodable {
    static func whole(at place: Int, of machine: DecodingMachine) throws -> Self {
        machine.node(place).kind == .null ? nil : try machine.value(place, as: Wrapped.self)
    }
}

extension Array: WholeDecodable where Element: Decodable {
    static func whole(at place: Int, of machine: DecodingMachine) throws -> Self {
        // The same with types that the compiler knows.
        if Element.self == Int.self {
            return unsafeBitCast(try machine.array(place) { try machine.integer($0, as: Int.self) }, to: Self.self)
        }
        if Element.self == Double.self {
            return unsafeBitCast(try machine.array(place) { try machine.double($0) }, to: Self.self)
        }
        if Element.self == String.self {
            return unsafeBitCast(try machine.array(place) { try machine.string($0) }, to: Self.self)
        }
        return try machine.array(place) { try machine.value($0, as: Element.self) }
    }
}

extension Dictionary: WholeDecodable where Key == String, Value: Decodable {
    static func whole(at place: Int, of machine: DecodingMachine) throws -> Self {
        if Value.self == Int.self {
            return unsafeBitCast(try machine.dictionary(place) { try machine.integer($0, as: Int.self) }, to: Self.self)
        }
        if Value.self == Double.self {
            return unsafeBitCast(try machine.dictionary(place) { try machine.double($0) }, to: Self.self)
        }
        if Value.self == String.self {
            return unsafeBitCast(try machine.dictionary(place) { try machine.string($0) }, to: Self.self)
        }
        return try machine.dictionary(place) { try machine.value($0, as: Value.self) }
    }
}

extension DecodingMachine {
    @inline(__always)
    fileprivate func array<Element>(_ place: Int, _ read: (Int) throws -> Element) throws -> [Element] {
        guard node(place).kind == .array else { throw mismatch([Any].self, at: place) }
        let count = Int(node(place).length)
        return try [Element](unsafeUninitializedCapacity: count) { elements, made in
            var element = place + 1
            while made < count {
                (elements.baseAddress.unsafelyUnwrapped + made).initialize(to: try read(element))
                made += 1
                element = Int(node(element).next)
            }
        }
    }

    @inline(__always)
    fileprivate func dictionary<Element>(_ place: Int, _ read: (Int) throws -> Element) throws -> [String: Element] {
        guard node(place).kind == .object else { throw mismatch([String: Any].self, at: place) }
        try prepareKeys(of: place)
        var members = [String: Element](minimumCapacity: Int(node(place).length))
        var key = place + 1
        while key < Int(node(place).next) {
            if !node(key).isRepeated, let name = string(of: node(key)) { members[name] = try read(key + 1) }
            key = Int(node(key + 1).next)
        }
        return members
    }
}
