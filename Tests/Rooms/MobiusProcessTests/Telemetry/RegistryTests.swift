import CoreMetrics
import MobiusProcess
import Testing

/// What a registry keeps, and the text that it makes of it.
struct RegistryTests {
    private let registry = MetricsRegistry()

    private func lines(_ prefix: String) -> [String] {
        registry.text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
    }

    @Test func anEmptyRegistrySaysNothing() {
        #expect(registry.text == "")
    }

    @Test func countersAddUpWhoeverMadeThem() {
        Counter(label: "orders_total", factory: registry).increment(by: 2)
        Counter(label: "orders_total", factory: registry).increment()
        #expect(
            registry.text == """
                # HELP orders_total A counter of this program.
                # TYPE orders_total counter
                orders_total 3

                """)
    }

    @Test func dimensionsTellMetricsOfAFamilyApart() {
        Gauge(label: "depth", dimensions: [("pool", "b"), ("host", "x")], factory: registry).record(2)
        Gauge(label: "depth", dimensions: [("pool", "a")], factory: registry).record(1.5)
        // In whatever order they are named.
        Gauge(label: "depth", dimensions: [("host", "x"), ("pool", "b")], factory: registry).record(3)
        #expect(lines("depth") == ["depth{host=\"x\",pool=\"b\"} 3", "depth{pool=\"a\"} 1.5"])
    }

    @Test func histogramsCountUpToEachBound() {
        let sizes = Recorder(label: "mobius_commit_records", factory: registry)
        for size in [1, 2, 3, 300] { sizes.record(size) }
        #expect(
            lines("mobius_commit_records") == [
                "mobius_commit_records_bucket{le=\"1\"} 1", "mobius_commit_records_bucket{le=\"2\"} 2",
                "mobius_commit_records_bucket{le=\"4\"} 3", "mobius_commit_records_bucket{le=\"8\"} 3",
                "mobius_commit_records_bucket{le=\"16\"} 3", "mobius_commit_records_bucket{le=\"32\"} 3",
                "mobius_commit_records_bucket{le=\"64\"} 3", "mobius_commit_records_bucket{le=\"128\"} 3",
                "mobius_commit_records_bucket{le=\"256\"} 3", "mobius_commit_records_bucket{le=\"512\"} 4",
                "mobius_commit_records_bucket{le=\"1024\"} 4", "mobius_commit_records_bucket{le=\"2048\"} 4",
                "mobius_commit_records_bucket{le=\"4096\"} 4", "mobius_commit_records_bucket{le=\"+Inf\"} 4",
                "mobius_commit_records_sum 306", "mobius_commit_records_count 4",
            ])
    }

    @Test func timesAreInSeconds() {
        Timer(label: "mobius_commit_duration_seconds", factory: registry).recordMilliseconds(2)
        #expect(lines("mobius_commit_duration_seconds_sum") == ["mobius_commit_duration_seconds_sum 0.002"])
        #expect(lines("mobius_commit_duration_seconds_bucket{le=\"0.001\"").last?.hasSuffix(" 0") == true)
        #expect(lines("mobius_commit_duration_seconds_bucket{le=\"0.0025\"").last?.hasSuffix(" 1") == true)
    }

    @Test func whatTheFormatDoesNotAllowIsReplaced() {
        Counter(label: "my app.orders", dimensions: [("who is", "a \"b\"\\\n")], factory: registry).increment()
        Counter(label: "9lives", factory: registry).increment()
        #expect(lines("my") == ["my_app_orders{who_is=\"a \\\"b\\\"\\\\\\n\"} 1"])
        #expect(lines("_9") == ["_9lives 1"])
    }

    @Test func aFamilyHasOneKind() {
        Counter(label: "orders", factory: registry).increment()
        Gauge(label: "orders", factory: registry).record(7)
        Gauge(label: "orders", dimensions: [("pool", "a")], factory: registry).record(8)
        #expect(lines("orders") == ["orders 1"])
    }

    @Test func whatIsDestroyedIsNoLongerShown() {
        let counter = Counter(label: "orders_total", factory: registry)
        counter.increment()
        counter.destroy()
        #expect(registry.text == "")
        // A new one begins at 0.
        Counter(label: "orders_total", factory: registry).increment()
        #expect(lines("orders_total") == ["orders_total 1"])
    }

    @Test func manyThreadsLoseNothing() async {
        let counter = Counter(label: "orders_total", factory: registry)
        let times = Timer(label: "mobius_commit_duration_seconds", factory: registry)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 {
                        counter.increment()
                        times.recordMicroseconds(1)
                    }
                }
            }
        }
        #expect(lines("orders_total") == ["orders_total 80000"])
        #expect(lines("mobius_commit_duration_seconds_count") == ["mobius_commit_duration_seconds_count 80000"])
    }
}
