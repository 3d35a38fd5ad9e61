import Foundation

/// A type whose values are drawn.
protocol Drawn: SendableMetatype, Codable, Equatable {
    /// A value; `depth` is how many levels it may have, and is negative in those that go on all the same.
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Self
}

extension FixedWidthInteger {
    static func anyInteger(by chance: inout SeededGenerator) -> Self {
        switch chance.number(below: 6) {
        case 0: 0
        case 1: .max
        case 2: .min
        case 3: Self(truncatingIfNeeded: chance.next())
        case 4: Self(truncatingIfNeeded: chance.next()) &* Self(truncatingIfNeeded: chance.next())
        default: Self(truncatingIfNeeded: chance.number(below: 100))
        }
    }
}

extension Drawn where Self: FixedWidthInteger {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Self { anyInteger(by: &chance) }
}

extension Int: Drawn {}
extension Int8: Drawn {}
extension Int16: Drawn {}
extension Int32: Drawn {}
extension Int64: Drawn {}
extension Int128: Drawn {}
extension UInt: Drawn {}
extension UInt8: Drawn {}
extension UInt16: Drawn {}
extension UInt32: Drawn {}
extension UInt64: Drawn {}
extension UInt128: Drawn {}

extension Bool: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Bool { chance.chance(oneIn: 2) }
}

extension Double: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Double {
        switch chance.number(below: 8) {
        case 0: return Double(chance.number(below: 2000) - 1000)
        case 1: return Double(chance.number(below: 200_000) - 100_000) / 100
        case 2:
            return chance.one(of: [
                0, -0.0, 0.1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e15, 1e16, 1e17, 1e22,
            ])
        case 3: return Double(chance.next())
        case 4: return Double(bitPattern: chance.next() & 0x3fff_ffff_ffff_ffff)
        case 5 where chance.chance(oneIn: 300): return chance.one(of: [.nan, .infinity, -.infinity])
        default:
            let any = Double(bitPattern: chance.next())
            return any.isFinite ? any : 1.5
        }
    }
}

extension Float: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Float {
        switch chance.number(below: 4) {
        case 0: return Float(chance.number(below: 2000) - 1000) / 8
        case 1: return chance.one(of: [0, -0.0, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 16_777_218])
        case 2 where chance.chance(oneIn: 300): return chance.one(of: [.nan, .infinity, -.infinity])
        default:
            let any = Float(bitPattern: UInt32(truncatingIfNeeded: chance.next()))
            return any.isFinite ? any : 1.5
        }
    }
}

extension String: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> String { chance.text() }
}

extension Date: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: Double.drawn(by: &chance, depth: depth))
    }
}

extension Data: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Data {
        Data((0..<chance.number(below: 20)).map { _ in UInt8(truncatingIfNeeded: chance.next()) })
    }
}

extension URL: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> URL {
        let texts = ["http://a.b/c?d=e%20f", "relative/path", "mailto:a@b", "file:///tmp/x", "https://ü.example/ß#é"]
        return URL(string: chance.one(of: texts)) ?? URL(filePath: "/")
    }
}

extension Decimal: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Decimal {
        switch chance.number(below: 3) {
        case 0: Decimal(chance.number(below: 20_000) - 10_000) / 100
        case 1: Decimal(Int.drawn(by: &chance, depth: 0))
        default:
            Decimal(
                sign: chance.one(of: [.plus, .minus]), exponent: chance.number(below: 240) - 120,
                significand: Decimal(chance.next()))
        }
    }
}

extension UUID: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> UUID {
        var bytes: (UInt64, UInt64) = (chance.next(), chance.next())
        return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }
}

extension Duration: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> Duration {
        Duration(secondsComponent: Int64(chance.number(below: 1_000_000)), attosecondsComponent: 5)
    }
}

extension DateComponents: Drawn {
    static func drawn(by chance: inout SeededGenerator, depth: Int) -> DateComponents {
        DateComponents(year: chance.number(below: 3000), month: chance.chance(oneIn: 2) ? 3 : nil)
    }
}
