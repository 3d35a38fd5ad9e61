import MobiusCodec

/// An enum as programs have them: its values are effects and events.
enum Command: CodedValue {
    case ring(String)
    case stop
    case order(Order)
    case report(id: Int, text: String)

    struct Order: CodedValue {
        var id: Int
        var customer: String
        var total: Double
        var isPaid: Bool
        var note: String
    }

    /// One associated value.
    static let tiny = Command.ring("bell-7")

    /// One associated value of five fields: about a hundred bytes.
    static let small = Command.order(
        Order(id: 48_213, customer: "Ada Lovelace", total: 129.95, isPaid: true, note: "Ring twice."))
}

/// An array of structs with optionals and dictionaries: about 4 KiB.
struct Shelf: CodedValue {
    struct Book: CodedValue {
        var title: String
        var pages: Int
        var isbn: String?
        var rating: Double?
        var lentTo: String?
        var tags: [String: Int]
    }

    var books: [Book]

    static let ofBooks = Shelf(
        books: (0..<30).map { number in
            Book(
                title: "The collected letters, volume \(number)", pages: 120 + number * 13,
                isbn: number.isMultiple(of: 2) ? "978-0-306-40615-\(number)" : nil,
                rating: number.isMultiple(of: 3) ? 3.5 + Double(number) / 100 : nil,
                lentTo: number.isMultiple(of: 5) ? "reader \(number)" : nil,
                tags: ["letters": number, "shelf": 4, "loans": number * 3])
        })
}

/// A bit of all that payloads hold: about 64 KiB.
struct Mixture: CodedValue {
    struct Reading: CodedValue {
        var sensor: String
        var time: Double
        var values: [Double]
        var isValid: Bool
        var remark: String?
    }

    var name: String
    var commands: [Command]
    var shelves: [Shelf]
    var readings: [Reading]
    var counts: [Int]
    var names: [String: String]
    var text: String

    static let ofAllKinds = Mixture(
        name: "mixture",
        commands: (0..<120).map(command),
        shelves: [.ofBooks, .ofBooks],
        readings: (0..<120).map(reading),
        counts: (0..<1500).map { $0 * $0 * 31 - 700_000 },
        names: Dictionary(uniqueKeysWithValues: (0..<60).map { ("key-\($0)", "value number \($0)") }),
        text: String(repeating: "It was a bright cold day in April, and the clocks were striking. ", count: 150))

    private static func command(_ number: Int) -> Command {
        switch number % 4 {
        case 0: .ring("bell-\(number)")
        case 1: .stop
        case 2: Command.small
        default: .report(id: number, text: "All quiet at post \(number); \"nothing\" to say.\n")
        }
    }

    private static func reading(_ number: Int) -> Reading {
        Reading(
            sensor: "sensor/\(number % 7)", time: 805_000_000.125 + Double(number) * 60,
            values: (0..<8).map { Double(number * 8 + $0) * 0.1 }, isValid: number % 11 != 0,
            remark: number % 10 == 0 ? "Grüße aus der Höhle" : nil)
    }
}
