import MobiusTest
import Synchronization
import Testing

/// A clock whose time passes only when the test says so.
@Suite struct TestClockTests {
    private let clock = TestClock()

    @Test func `it stands at zero until it is advanced`() async {
        let start = clock.now
        await clock.advance(by: .seconds(5))
        #expect(start.duration(to: clock.now) == .seconds(5))
        #expect(clock.minimumResolution == .zero)
    }

    @Test func `sleepers wake in the order of their times`() async throws {
        let order = Order()
        let clock = clock
        let tasks = [3, 1, 2].map { seconds in
            Task {
                try await clock.sleep(for: .seconds(seconds))
                order.add(seconds)
            }
        }
        while clock.sleepers < 3 { await Task.yield() }
        for woken in 1...3 {
            await clock.advance(by: .seconds(1))
            while order.values.count < woken { await Task.yield() }
        }
        for task in tasks { try await task.value }
        #expect(order.values == [1, 2, 3])
    }

    private final class Order: Sendable {
        private let added = Mutex<[Int]>([])

        var values: [Int] { added.withLock { $0 } }

        func add(_ value: Int) { added.withLock { $0.append(value) } }
    }

    @Test func `a time that has come needs no waiting`() async throws {
        try await clock.sleep(until: clock.now)
        #expect(clock.sleepers == 0)
    }

    @Test func `a cancelled sleeper wakes with an error`() async {
        let clock = clock
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        while clock.sleepers == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == 0)
    }

    @Test func `a task that was cancelled before does not sleep`() async {
        let clock = clock
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: .seconds(1))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
