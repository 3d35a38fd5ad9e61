/// What the command line asks for.
struct Options: Sendable {
    static let usage = """
        usage: stress [--rounds N] [--seed S] [--patience SECONDS] [--plant DEFECT]

        Starts, uses and ends loops and controllers while 8 threads dispatch and others observe, read and dispose, and
        checks that nothing is lost, out of order, late, or entered twice.

          --rounds N     how many loops are started and ended in all (default 100000)
          --seed S       which random choices; printed at the start (default: other ones each time)
          --patience S   gives up, saying who waits for what, when nothing moves for so long (default 60)
          --plant D      shows that a defect is found: \(Plant.allCases.map(\.rawValue).joined(separator: ", "))

        Ends with 0 if all is well, 1 after findings, 75 when it hung. Sanitizers end it their own way.
        """

    var rounds = 100_000
    var seed = UInt64.random(in: 1...999_999_999)
    var patience = 60
    var plant = Plant.nothing

    struct Refusal: Error {
        let text: String
        var isAsked = false
    }

    init(_ arguments: some Sequence<String>) throws(Refusal) {
        var rest = arguments.makeIterator()
        while let name = rest.next() {
            if name == "--help" || name == "-h" { throw Refusal(text: "what it does", isAsked: true) }
            guard let value = rest.next() else { throw Refusal(text: "\(name) needs a value.") }
            switch name {
            case "--rounds": rounds = try Self.number(value, name)
            case "--seed": seed = UInt64(try Self.number(value, name))
            case "--patience": patience = try Self.number(value, name)
            case "--plant":
                guard let known = Plant(rawValue: value) else { throw Refusal(text: "There is no defect \(value).") }
                plant = known
            default: throw Refusal(text: "There is no option \(name).")
            }
        }
    }

    private static func number(_ text: String, _ name: String) throws(Refusal) -> Int {
        guard let number = Int(text), number > 0 else { throw Refusal(text: "\(name) needs a number from 1.") }
        return number
    }
}
