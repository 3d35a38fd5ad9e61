import Foundation

/// What the caller wants.
struct Options: Sendable {
    var seeds: UInt64 = 10_000
    var from: UInt64 = 1
    var threads = max(1, ProcessInfo.processInfo.activeProcessorCount)
    var trace: UInt64?
    /// Prints one line for machines at the end: the seed that failed and the promise that it broke.
    var isTerse = false
    /// Goes on after a failure.
    var goesOn = false

    static let usage = """
        usage: fleet-simulation [--seeds N] [--from S] [--threads T] [--terse | --go-on]
               fleet-simulation --trace SEED

          --seeds N      how many seeds to run (default 10000)
          --from S       the first of them (default 1)
          --threads T    how many at a time (default: as many as there are processors)
          --terse        print one line only
          --go-on        run all seeds, even when some fail, and print one line for each of those
          --trace SEED   run one seed and print every step of it
        """

    init(_ arguments: ArraySlice<String>) {
        var rest = Array(arguments)
        while !rest.isEmpty {
            let name = rest.removeFirst()
            switch name {
            case "--help", "-h":
                print(Self.usage)
                exit(0)
            case "--terse": isTerse = true
            case "--go-on": goesOn = true
            case "--seeds": seeds = Self.number(name, &rest)
            case "--from": from = Self.number(name, &rest)
            case "--threads": threads = Int(max(1, min(64, Self.number(name, &rest))))
            case "--trace": trace = Self.number(name, &rest)
            default: Self.refuse("does not know '\(name)'.")
            }
        }
    }

    private static func number(_ name: String, _ rest: inout [String]) -> UInt64 {
        guard !rest.isEmpty, let number = UInt64(rest.removeFirst()) else { refuse("\(name) needs a whole number.") }
        return number
    }

    private static func refuse(_ sentence: String) -> Never {
        FileHandle.standardError.write(Data("fleet-simulation: \(sentence)\n\n\(usage)\n".utf8))
        exit(64)
    }
}
