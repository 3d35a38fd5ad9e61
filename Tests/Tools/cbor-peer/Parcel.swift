import Foundation

/// A value with all that CBOR has a form for, for the exchange with a CBOR library of another language.
struct Parcel: Codable, Equatable {
    enum Shape: Codable, Equatable {
        case dot
        case line(Int)
        case box(width: Double, label: String?)
    }

    var text = ""
    var integer: Int64 = 0
    var unsigned: UInt64 = 0
    var wide: Int128 = 0
    var number = 0.0
    var single: Float = 0
    var flag = false
    var missing: Int?
    var list: [Int] = []
    var table: [String: Int] = [:]
    var numbered: [Int: String] = [:]
    var data = Data()
    var date = Date(timeIntervalSince1970: 0)
    var decimal: Decimal = 0
    var id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var link = URL(filePath: "/")
    var shape = Shape.dot
    var parcels: [Parcel] = []

    static func drawn(depth: Int, by chance: inout some RandomNumberGenerator) -> Parcel {
        var parcel = Parcel()
        parcel.text = text(by: &chance)
        parcel.integer = Int64(truncatingIfNeeded: chance.next()) >> Int64.random(in: 0...63, using: &chance)
        parcel.unsigned = chance.next() >> UInt64.random(in: 0...63, using: &chance)
        let wide = Int128(truncatingIfNeeded: UInt128(chance.next()) << 64 | UInt128(chance.next()))
        parcel.wide = wide >> Int128.random(in: 0...127, using: &chance)
        parcel.number = number(by: &chance)
        parcel.single = Float.random(in: -100...100, using: &chance)
        parcel.flag = Bool.random(using: &chance)
        parcel.missing = Bool.random(using: &chance) ? nil : 7
        parcel.list = (0..<Int.random(in: 0...40, using: &chance)).map { _ in Int.random(in: -300...300, using: &chance)
        }
        for _ in 0..<Int.random(in: 0...30, using: &chance) {
            parcel.table[text(by: &chance)] = Int.random(in: 0...9, using: &chance)
            parcel.numbered[Int.random(in: -70000...70000, using: &chance)] = text(by: &chance)
        }
        parcel.data = Data(
            (0..<Int.random(in: 0...300, using: &chance)).map { _ in UInt8.random(in: 0...255, using: &chance) })
        let seconds = Double.random(in: -3e9...3e9, using: &chance)
        parcel.date = Date(timeIntervalSinceReferenceDate: Bool.random(using: &chance) ? seconds : seconds.rounded())
        parcel.decimal = Decimal(
            sign: .minus, exponent: Int.random(in: -30...30, using: &chance), significand: Decimal(parcel.unsigned))
        parcel.id = UUID(uuidString: uuid(by: &chance)) ?? parcel.id
        parcel.link = URL(string: "http://example.org/\(parcel.unsigned)?q=%20") ?? parcel.link
        parcel.shape =
            [.dot, .line(-1), .box(width: 0.5, label: nil), .box(width: 1e9, label: "x")].randomElement(using: &chance)
            ?? .dot
        if depth > 0 {
            parcel.parcels = (0..<Int.random(in: 0...2, using: &chance)).map { _ in drawn(depth: depth - 1, by: &chance)
            }
        }
        return parcel
    }

    private static func text(by chance: inout some RandomNumberGenerator) -> String {
        let letters: [Character] = ["a", "b", "7", "0", "+", "\"", "\\", "\n", "\u{1}", "é", "😀", "水", " "]
        return String(
            (0..<Int.random(in: 0...30, using: &chance)).map { _ in letters.randomElement(using: &chance) ?? "a" })
    }

    private static func number(by chance: inout some RandomNumberGenerator) -> Double {
        let any = Double(bitPattern: chance.next())
        let few = [
            0, 1, -0.5, 65504, 65505, 5.960464477539063e-8, 3.4028234663852886e38, 1e300, .leastNonzeroMagnitude,
        ]
        let small = Double.random(in: -1000...1000, using: &chance)
        return [any.isFinite ? any : 0, few.randomElement(using: &chance) ?? 0, small, small.rounded()]
            .randomElement(using: &chance) ?? 0
    }

    private static func uuid(by chance: inout some RandomNumberGenerator) -> String {
        let digits = (0..<32).map { _ in String(Int.random(in: 0...15, using: &chance), radix: 16) }
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { $0.joined() }.joined(separator: "-")
    }
}
