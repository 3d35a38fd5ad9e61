import MobiusCore
import Synchronization

/// A consumer that records its values: models of a loop, events of a source.
///
/// ```swift
/// let models = RecordingConsumer<Model>()
/// loop.addObserver(models.accept)
/// loop.dispatchEvent(.increment)
/// #expect(models.values == [Model(count: 0), Model(count: 1)])
/// ```
/// It may be used from any thread. (Unchecked, because values need not be `Sendable`; they are reached with the lock
/// held.)
public final class RecordingConsumer<Value>: @unchecked Sendable {
    private let lock = Lock<Void>(())
    private var recorded: [Value] = []

    /// A recorder without values.
    public init() {}

    /// The values so far, in order.
    public var values: [Value] {
        var values: [Value] = []
        lock.withLock { _ in values = recorded }
        return values
    }

    /// Keeps `value`.
    public func accept(_ value: Value) {
        lock.withLock { _ in recorded.append(value) }
    }

    /// Removes the values so far.
    public func clear() {
        var forgotten: [Value] = []
        lock.withLock { _ in swap(&forgotten, &recorded) }
    }

    /// Waits until `count` values have come, in real time, and returns the values so far.
    ///
    /// If they do not come within the deadline, the test fails at `line`.
    @discardableResult
    public func wait(
        for count: Int, within deadline: Duration = .seconds(10), file: StaticString = #file, line: UInt = #line
    ) async -> [Value] {
        if await !eventually(within: deadline, { values.count >= count }) {
            let came = ValueText(values).text
            failTest("After \(deadline) \(count) values had not come. Those so far:\n  \(came)", file, line)
        }
        return values
    }
}
