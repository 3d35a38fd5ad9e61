/// What happened, in numbers.
struct Tally: CustomStringConvertible {
    var kills: [String: Int] = [:]
    var stops = 0
    var cuts = 0
    var orderlyStops = 0
    var ordered = 0
    var confirmed = 0
    var repeated = 0
    var transfers = 0
    var seconds = 0.0
    /// The longest time in which nothing ended although something was under way, the outage itself included.
    var longestStandstill = Duration.zero
    /// The longest time from the moment at which everything was up again to the next transfer that ended.
    var worstRecovery = Duration.zero
    var bookings = 0
    var repeatedBookings = 0
    var epochs = 0

    var description: String {
        let kinds = kills.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let throughput = seconds > 0 ? Double(transfers) / seconds : 0
        return """
            kills: \(kills.values.reduce(0, +)) (\(kinds))
            stops and continues: \(stops), cuts and stalls: \(cuts), orderly stops: \(orderlyStops)
            orders: \(ordered), confirmed: \(confirmed), said again: \(repeated)
            transfers ended: \(transfers), \(Int(throughput.rounded())) a second
            bookings in ledgers: \(bookings), asked for again: \(repeatedBookings); starts of the coordinator: \(epochs)
            longest standstill: \(longestStandstill.milliseconds) ms, worst recovery: \(worstRecovery.milliseconds) ms
            """
    }
}

extension Duration {
    var milliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
