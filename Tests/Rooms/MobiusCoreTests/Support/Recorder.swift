import FleetTestSupport
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
    func wait(for count: Int, deadline: Duration? = nil) async -> [Value] {
        let wait = PatientWait(within: deadline)
        while values.count < count, !wait.isOver { try? await Task.sleep(for: .milliseconds(1)) }
        return values
    }
}

/// Waits until `condition` holds; `false` if it does not by the deadline.
func eventually(deadline: Duration? = nil, _ condition: () async -> Bool) async -> Bool {
    let wait = PatientWait(within: deadline)
    while await !condition() {
        guard !wait.isOver else { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
