import Foundation
import MobiusCore
import Synchronization

/// Keeps what it is given, from any thread, in order.
final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Lock<[Value]>([])

    var values: [Value] {
        recorded.withLock { $0 }
    }

    func record(_ value: Value) {
        recorded.withLock { $0.append(value) }
    }

    /// Waits until `count` values have come, and returns what has come by then, or by the deadline.
    func wait(for count: Int, deadline: Duration = .seconds(60)) async -> [Value] {
        let end = ContinuousClock.now + deadline
        while values.count < count, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(1)) }
        return values
    }
}

/// Waits until `condition` holds; `false` if it does not by the deadline.
func eventually(deadline: Duration = .seconds(60), _ condition: () async -> Bool) async -> Bool {
    let end = ContinuousClock.now + deadline
    while await !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
