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
        guard let string = string(of: node) else {
            throw corrupted("its text is not valid Unicode", at: place, isNamed: false)
        }
        return string
    }

    func integer<Integer: FixedWidthInteger>(_ place: Int, as type: Integer.Type = Integer.self) throws -> Integer {
        let node = node(place)
        guard node.kind == .number else { throw mismatch(Integer.self, at: place) }
        guard let integer = JSONNumber.integer(text(of: node), as: Integer.self) else {
            throw unfit(Integer.self, at: place)
        }
        return integer
    }

    func double(_ place: Int) throws -> Double {
        let node = node(place)
        guard node.kind == .number else { throw mismatch(Double.self, at: place) }
        guard let double = JSONNumber.double(text(of: node)) else {
            throw unfit(Double.self, at: place)
        }
        return double
    }

    func float(_ place: Int) throws -> Float {
        let node = node(place)
        guard node.kind == .number else { throw mismatch(Float.self, at: place) }
        guard let float = JSONNumber.float(text(of: node)) else { throw unfit(Float.self, at: place) }
        return float
    }

    func data(_ place: Int) throws -> Data {
        guard node(place).kind != .null else { throw mismatch(Data.self, at: place) }
        guard let data = Data(base64Encoded: try string(place)) else {
            throw corrupted("its text is not Base64", at: place)
        }
        return data
    }

    func url(_ place: Int) throws -> URL {
        guard node(place).kind != .null else { throw mismatch(URL.self, at: place) }
        guard let url = URL(string: try string(place)) else {
            throw corrupted("its text is no URL", at: place)
        }
        return url
    }

    func decimal(_ place: Int) throws -> Decimal {
        let node = node(place)
        guard node.kind == .number else { throw mismatch(Decimal.self, at: place) }
        let text = text(of: node)
        guard JSONNumber.isValid(text), let decimal = Decimal(string: String(decoding: text, as: UTF8.self)) else {
            throw unfit(Decimal.self, at: place)
        }
        return decimal
    }

    func date(_ place: Int) throws -> Date {
        guard node(place).kind != .null else { throw mismatch(Date.self, at: place) }
        return Date(timeIntervalSinceReferenceDate: try double(place))
    }

    func uuid(_ place: Int) throws -> UUID {
        if node(place).kind == .text, let uuid = UUIDText.uuid(of: text(of: node(place))) { return uuid }
        return try UUID(from: NodeDecoder(self, at: place))
    }

    /// A number is none of a type's values.
    func unfit(_ type: any Any.Type, at place: Int) -> DecodingError {
        corrupted("the number does not fit \(type)", at: place, isNamed: false)
    }
}
