import Foundation
import Orders

/// What a load has shown, for people and for scripts.
struct LoadReport {
    let visits: [LoadRun.Visit]
    let time: Duration
    /// `nil` without an audit.
    let findings: ShopAudit.Findings?

    /// What is wrong, a sentence each.
    var complaints: [String] { visits.flatMap(\.complaints) + (findings?.complaints ?? []) }

    private var ordersPerSecond: Double { Double(visits.count) / (time / .seconds(1)) }

    /// How many orders ended in which way.
    private var outcomes: [String: Int] {
        Dictionary(visits.map { (Self.word($0.saga?.stage), 1) }, uniquingKeysWith: +)
    }

    private static func word(_ stage: Stage?) -> String {
        switch stage {
        case nil: "refused"
        case .delivered: "delivered"
        case .closed(.cancelled): "cancelled"
        case .closed(.outOfStock): "outOfStock"
        case .closed(.declined): "declined"
        case .closed(.paymentTimedOut): "paymentTimedOut"
        case .closed(.undeliverable): "undeliverable"
        case .closed(.failed): "failed"
        case .reserving, .charging, .shipping, .recalling, .undoing: "unfinished"
        }
    }

    /// The lines for people.
    var text: String {
        let counts = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        var lines = [
            "\(visits.count) orders in \(Self.rounded(time / .seconds(1))) s: \(Self.rounded(ordersPerSecond)) orders/s",
            "answered after \(answered.text)", "ended after \(ended.text)", counts,
        ]
        if let findings {
            lines.append(
                "audit: \(findings.orders) orders, \(findings.entries) entries in three ledgers, "
                    + "\(complaints.count) complaints")
        }
        // A hundred show what is wrong as well as a million do.
        lines += complaints.prefix(100).map { "! \($0)" }
        return lines.joined(separator: "\n")
    }

    // MARK: - Latencies

    /// The shortest times within which half, 99 of 100, and all customers were served, in milliseconds.
    struct Latencies: Encodable {
        let p50: Double, p99: Double, highest: Double

        init(_ durations: [Duration]) {
            let sorted = durations.sorted()
            func time(_ part: Double) -> Double {
                guard !sorted.isEmpty else { return 0 }
                let index = Int((Double(sorted.count) * part).rounded(.up)) - 1
                return LoadReport.rounded(sorted[max(0, index)] / .milliseconds(1))
            }
            (p50, p99, highest) = (time(0.5), time(0.99), time(1))
        }

        var text: String { "\(p50) ms (half), \(p99) ms (99 %), \(highest) ms (the last)" }
    }

    private var answered: Latencies { Latencies(visits.map(\.answered)) }
    private var ended: Latencies { Latencies(visits.compactMap(\.ended)) }

    fileprivate static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    // MARK: - For scripts

    private struct Line: Encodable {
        var orders: Int, seconds: Double, ordersPerSecond: Double
        var answered: Latencies, ended: Latencies
        var outcomes: [String: Int]
        var auditedOrders: Int?, ledgerEntries: Int?
        var complaints: [String]
    }

    /// One line of JSON; times are in milliseconds.
    func json() throws -> String {
        let line = Line(
            orders: visits.count, seconds: Self.rounded(time / .seconds(1)),
            ordersPerSecond: Self.rounded(ordersPerSecond), answered: answered, ended: ended, outcomes: outcomes,
            auditedOrders: findings?.orders, ledgerEntries: findings?.entries, complaints: complaints)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(line), as: UTF8.self)
    }
}
