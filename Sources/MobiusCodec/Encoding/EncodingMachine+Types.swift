import Foundation

// Values of any type: built-in types, and types with their own `encode(to:)`.
extension EncodingMachine {
    /// The way in which values of a type are encoded.
    enum Way {
        /// By the type's own `encode(to:)`.
        case itself
        case bool, float, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
        /// As in Foundation's JSON, independent of their `encode(to:)`.
        case data, url, decimal, date, uuid
        /// As the bytes that it is.
        case fragment
        /// An array, a dictionary of texts or an optional: like their own encoding, in a loop.
        case whole(any WholeEncodable.Type)

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
                case let whole as any WholeEncodable.Type: .whole(whole)
                default: .itself
                }
        }
    }

    /// Writes a value of any type.
    func write<Value: Encodable>(_ value: Value, into place: EncodingPlace) throws {
        // `unsafeBitCast` to the type that it is: faster than `as!`, which looks for conformances.
        if Value.self == String.self { return single(place) { $0.appendText(unsafeBitCast(value, to: String.self)) } }
        if Value.self == Int.self { return single(place) { $0.append(integer: unsafeBitCast(value, to: Int.self)) } }
        if Value.self == Double.self { return try number(unsafeBitCast(value, to: Double.self), into: place) }
        switch ways.knowledge(of: ObjectIdentifier(Value.self), { Way(Value.self) }) {
        case .itself:
            if state.pointee.isLost { throw tooDeep(value) }
            try value.encode(to: PlaceEncoder(machine: self, place: place))
        case .whole(let whole):
            if state.pointee.isLost { throw tooDeep(value) }
            try write(value, as: whole, into: place)
        case .bool: single(place) { $0.append(unsafeBitCast(value, to: Bool.self)) }
        case .float: try number(unsafeBitCast(value, to: Float.self), into: place)
        case .int8: single(place) { $0.append(integer: unsafeBitCast(value, to: Int8.self)) }
        case .int16: single(place) { $0.append(integer: unsafeBitCast(value, to: Int16.self)) }
        case .int32: single(place) { $0.append(integer: unsafeBitCast(value, to: Int32.self)) }
        case .int64: single(place) { $0.append(integer: unsafeBitCast(value, to: Int64.self)) }
        case .uint: single(place) { $0.append(integer: unsafeBitCast(value, to: UInt.self)) }
        case .uint8: single(place) { $0.append(integer: unsafeBitCast(value, to: UInt8.self)) }
        case .uint16: single(place) { $0.append(integer: unsafeBitCast(value, to: UInt16.self)) }
        case .uint32: single(place) { $0.append(integer: unsafeBitCast(value, to: UInt32.self)) }
        case .uint64: single(place) { $0.append(integer: unsafeBitCast(value, to: UInt64.self)) }
        case .data: single(place) { $0.appendText(unsafeBitCast(value, to: Data.self).base64EncodedString()) }
        case .url: single(place) { $0.appendText(unsafeBitCast(value, to: URL.self).absoluteString) }
        case .decimal: single(place) { $0.appendASCII(unsafeBitCast(value, to: Decimal.self).description) }
        case .date: try number(unsafeBitCast(value, to: Date.self).timeIntervalSinceReferenceDate, into: place)
        case .uuid: single(place) { $0.appendText(unsafeBitCast(value, to: UUID.self)) }
        case .fragment:
            let bytes = unsafeBitCast(value, to: JSONFragment.self).bytes
            single(place) { output in bytes.withUnsafeBufferPointer { output.append($0) } }
        }
    }

    private func number<Number: BinaryFloatingPoint & CustomStringConvertible>(
        _ number: Number, into place: EncodingPlace
    ) throws {
        guard number.isFinite else { throw noNumber(number, at: path(to: place)) }
        single(place) { $0.append(number: number) }
    }

    private func write<Value, Whole: WholeEncodable>(
        _ value: Value, as type: Whole.Type, into place: EncodingPlace
    ) throws {
        try unsafeBitCast(value, to: Whole.self).write(into: place, of: self)
    }
}

/// A type of the standard library that is written at once, with the same result as its `encode(to:)`.
protocol WholeEncodable {
    func write(into place: EncodingPlace, of machine: EncodingMachine) throws
}

extension Optional: WholeEncodable where Wrapped: Encodable {
    func write(into place: EncodingPlace, of machine: EncodingMachine) throws {
        switch self {
        case .none: machine.single(place) { $0.appendNull() }
        case .some(let value): try machine.write(value, into: place)
        }
    }
}

extension Array: WholeEncodable where Element: Encodable {
    func write(into place: EncodingPlace, of machine: EncodingMachine) throws {
        machine.state.pointee.makeContainer(.array, at: place)
        // The same with types that the compiler knows.
        if Element.self == Int.self {
            for number in unsafeBitCast(self, to: [Int].self) {
                machine.element(of: place) { $0.append(integer: number) }
            }
        } else if Element.self == String.self {
            for text in unsafeBitCast(self, to: [String].self) { machine.element(of: place) { $0.appendText(text) } }
        } else if Element.self == Double.self {
            let container = UnkeyedEncoding(machine: machine, place: place)
            for number in unsafeBitCast(self, to: [Double].self) { try container.encode(number) }
        } else {
            try withUnsafeBufferPointer { elements in
                for index in elements.indices {
                    try machine.write(elements[index], into: machine.elementPlace(of: place))
                }
            }
        }
    }
}

extension Dictionary: WholeEncodable where Key == String, Value: Encodable {
    func write(into place: EncodingPlace, of machine: EncodingMachine) throws {
        machine.state.pointee.makeContainer(.object, at: place)
        if Value.self == Int.self {
            for (key, number) in unsafeBitCast(self, to: [String: Int].self) {
                machine.member(key, of: place) { $0.append(integer: number) }
            }
        } else if Value.self == String.self {
            for (key, text) in unsafeBitCast(self, to: [String: String].self) {
                machine.member(key, of: place) { $0.appendText(text) }
            }
        } else {
            for (key, value) in self { try machine.write(value, into: machine.memberPlace(key, of: place)) }
        }
    }
}

extension EncodingMachine {
    @inline(__always)
    fileprivate func member(_ key: String, of place: EncodingPlace, _ write: (inout OutputBytes) -> Void) {
        if state.pointee.beginMember(key, of: place) != nil { write(&state.pointee.output) }
    }
}
