import Foundation

/// Whole sagas, from the customer's request to the last ledger.
enum OrdersBenchmark {
    private static let orders = 5000

    /// What `orders-load` prints.
    struct Line: Decodable {
        struct Latencies: Decodable { let p50: Double }

        let ordersPerSecond: Double
        let ended: Latencies
    }

    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let runs = try (0..<rounds).map { _ in
            (floor: try programs.orderFloor(orders), ours: try programs.orders(orders))
        }
        return [
            Row(
                "orders", unit: "orders/s",
                rounds: runs.map { (Sample(value: $0.floor), Sample(value: $0.ours.ordersPerSecond)) }),
            Row("orders-ended-p50", unit: "ms", values: runs.map(\.ours.ended.p50)),
        ]
    }
}
