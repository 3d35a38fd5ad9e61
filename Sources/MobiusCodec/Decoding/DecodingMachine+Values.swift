import Foundation

// The values of nodes.
extension DecodingMachine {
    func bool(_ place: Int) throws -> Bool {
        switch node(place).kind {
        case .true: true
        case .false: false
        default: throw mismatch(Bool.self, at: place)
        }
    }

    func string(_ place: Int) throws -> String {
        let node = node(place)
        guard node.kind == .text || node.kind == .escapedText else { throw mismatch(String.self, at: place) }
        guard let string = string(of: node) else { throw corrupted("a text is not valid") }
        return string
    }

    func integer<Integer: FixedWidthInteger>(_ place: Int, as type: Integer.Type = Integer.self) throws -> Integer {
        let node = node(place)
        guard node.kind == .number else { throw mismatch(Integer.self, at: place) }
        guard let integer = JSONNumber.integer(text(of: node), as: Integer.self) else {
            throw corrupted("a number is no \(Integer.self)")
        }
        return integer
    }

    func double(_ place: Int) throws -> Double {
        let node = node(place)
        guard node.kind == .number else { throw mismatch(Double.self, at: place) }
        guard let double = JSONNumber.double(text(of: node)) else { throw corrupted("a number is no Double") }
        return double
    }

    func float(_ place: Int) throws -> Float {
        let node = node(place)
        guard node.kind == .number else { throw mismatch(Float.self, at: place) }
        guard let float = JSONNumber.float(text(of: node)) else { throw corrupted("a number is no Float") }
        return float
    }

    /// A value of any type: those that Foundation's JSON knows by itself, those that fill long arrays, and those that decode
    /// themselves.
    func value<Value: Decodable>(_ place: Int, as type: Value.Type = Value.self) throws -> Value {
        // Faster than `as!`, which looks for conformances.
        if Value.self == String.self { return unsafeBitCast(try string(place), to: Value.self) }
        if Value.self == Int.self { return unsafeBitCast(try integer(place, as: Int.self), to: Value.self) }
        if Value.self == Double.self { return unsafeBitCast(try double(place), to: Value.self) }
        if Value.self == Data.self { return unsafeBitCast(try data(place), to: Value.self) }
        if Value.self == URL.self { return unsafeBitCast(try url(place), to: Value.self) }
        if Value.self == Decimal.self { return unsafeBitCast(try decimal(place), to: Value.self) }
        return try Value(from: NodeDecoder(self, at: place))
    }

    private func data(_ place: Int) throws -> Data {
        guard let data = Data(base64Encoded: try string(place)) else {
            throw corrupted("Encountered Data is not valid Base64.", at: path(to: place))
        }
        return data
    }

    private func url(_ place: Int) throws -> URL {
        guard let url = URL(string: try string(place)) else {
            throw corrupted("Invalid URL string.", at: path(to: place))
        }
        return url
    }

    private func decimal(_ place: Int) throws -> Decimal {
        let node = node(place)
        guard node.kind == .number else { throw mismatch(Decimal.self, at: place) }
        let text = text(of: node)
        guard JSONNumber.isValid(text), let decimal = Decimal(string: String(decoding: text, as: UTF8.self)) else {
            throw corrupted("a number is no Decimal")
        }
        return decimal
    }
}
