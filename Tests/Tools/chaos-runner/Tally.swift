#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What happened, in numbers.
struct Tally: CustomStringConvertible {
    var kills: [String: Int] = [:]
    var stops = 0
    var cuts = 0
    var orderlyStops = 0
    var ordered = 0
    var confirmed = 0
    /// Orders that were confirmed as applied before.
    var repeated = 0
    /// How often a customer's patience ended.
    var impatience = 0
    var transfers = 0
    var seconds = 0.0
    /// The longest time in which nothing ended although something was under way, the outage itself included.
    var longestStandstill = Duration.zero
    /// The longest time from the moment at which everything was up again to the next transfer that ended.
    var worstRecovery = Duration.zero
    var bookings = 0
    var repeatedBookings = 0
    var epochs = 0
    /// Bytes.
    private var journal = 0
    private var ledgers = 0

    /// Looks at the files.
    mutating func measure(_ company: Company) {
        journal = company.size(of: "journal")
        ledgers = company.size(of: "worker-")
    }

    var description: String {
        let kinds = kills.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let throughput = seconds > 0 ? Double(transfers) / seconds : 0
        let rows = [
            ("time", "\(Int(seconds.rounded())) s"),
            ("kills", "\(kills.values.reduce(0, +)) (\(kinds))"),
            ("stops and continues", "\(stops)"),
            ("cuts and stalls", "\(cuts)"),
            ("orderly stops", "\(orderlyStops)"),
            ("starts of the coordinator", "\(epochs)"),
            ("orders", "\(ordered), confirmed \(confirmed)"),
            ("asked twice", "\(repeated), patience ended \(impatience) times"),
            ("transfers ended", "\(transfers), \(Int(throughput.rounded())) a second"),
            ("bookings in ledgers", "\(bookings), asked for again \(repeatedBookings)"),
            ("longest standstill", "\(longestStandstill.milliseconds) ms"),
            ("worst recovery", "\(worstRecovery.milliseconds) ms"),
            ("journal, ledgers", "\(journal.mebibytes), \(ledgers.mebibytes)"),
            (
                "memory, at most",
                "\(Self.memory(RUSAGE_CHILDREN)) of a process, \(Self.memory(RUSAGE_SELF)) of the runner"
            ),
        ]
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "\($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }
            .joined(separator: "\n")
    }

    /// The most memory that this process had, or any that it started and that has ended.
    #if canImport(Glibc)
        private static func memory(_ who: __rusage_who) -> String {
            var usage = rusage()
            getrusage(__rusage_who_t(who.rawValue), &usage)
            return (usage.ru_maxrss << 10).mebibytes
        }
    #else
        private static func memory(_ who: Int32) -> String {
            var usage = rusage()
            getrusage(who, &usage)
            return usage.ru_maxrss.mebibytes
        }
    #endif
}

extension Int {
    fileprivate var mebibytes: String { "\(self >> 20).\((self >> 10 & 1023) * 10 / 1024) MiB" }
}

extension Duration {
    var milliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
