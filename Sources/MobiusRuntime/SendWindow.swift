import Foundation

/// Bounds the events of one handler that nobody has acknowledged: who sends more waits.
///
/// It is used by any thread. Nobody waits once the attempt `isOver`; the code that ends the attempt then calls ``wake()``.
final class SendWindow: Sendable {
    private struct State {
        /// How many events, and how many bytes of them, are not acknowledged.
        var events = 0
        var bytes = 0
        /// Tasks that wait for room, the first first.
        var tasks: [(number: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
        var lastTask: UInt64 = 0
    }

    private let limits: SendLimits
    // Foundation's, because threads wait for it.
    private let condition = NSCondition()
    // Touched with the condition's lock held.
    nonisolated(unsafe) private var state = State()

    init(_ limits: SendLimits) {
        self.limits = limits
    }

    private var isFull: Bool { state.events >= max(1, limits.events) || state.bytes >= max(1, limits.bytes) }

    /// Whether enough is acknowledged that it pays to wake those who wait.
    private var isHalfEmpty: Bool { state.events <= limits.events / 2 && state.bytes <= limits.bytes / 2 }

    /// Counts an event that is about to be sent; waits until there is room for it, blocking the thread.
    ///
    /// - Returns: `false` when there is no room and the attempt is over, or was told to end: nobody waits for the event.
    func admit(bytes: Int, unless isOver: () -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while isFull {
            if isOver() { return false }
            condition.wait()
        }
        state.events += 1
        state.bytes += bytes
        return true
    }

    /// Waits until there is room, the task is cancelled or the attempt is over.
    func room(unless isOver: @Sendable () -> Bool) async {
        let number = nextTask()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                condition.lock()
                let waits = isFull && !isOver() && !Task.isCancelled
                if waits { state.tasks.append((number, continuation)) }
                condition.unlock()
                if !waits { continuation.resume() }
            }
        } onCancel: {
            resume { tasks in tasks.firstIndex { $0.number == number }.map { [tasks.remove(at: $0)] } ?? [] }
        }
    }

    private func nextTask() -> UInt64 {
        condition.lock()
        defer { condition.unlock() }
        state.lastTask += 1
        return state.lastTask
    }

    /// So many events, with so many bytes, are acknowledged.
    func acknowledge(events: Int, bytes: Int) {
        condition.lock()
        state.events = max(0, state.events - events)
        state.bytes = max(0, state.bytes - bytes)
        let isHalfEmpty = isHalfEmpty
        if isHalfEmpty { condition.broadcast() }
        let room = isHalfEmpty ? max(1, limits.events) - state.events : 0
        condition.unlock()
        // One for each place: a send that finds none left blocks its thread.
        if room > 0 { resume { tasks in tasks.removeFirst(room, orFewer: ()) } }
    }

    /// Has all who wait see whether the attempt is over.
    func wake() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
        resume { tasks in tasks.removeFirst(tasks.count, orFewer: ()) }
    }

    private typealias Tasks = [(number: UInt64, continuation: CheckedContinuation<Void, Never>)]

    /// Resumes tasks that are taken out of those that wait.
    private func resume(_ take: (inout Tasks) -> Tasks) {
        condition.lock()
        let taken = take(&state.tasks)
        condition.unlock()
        for task in taken { task.continuation.resume() }
    }
}

extension Array {
    fileprivate mutating func removeFirst(_ count: Int, orFewer: Void) -> [Element] {
        let taken = Array(prefix(count))
        removeFirst(taken.count)
        return taken
    }
}

/// How much a handler may have sent that nobody has acknowledged.
package struct SendLimits: Hashable, Sendable {
    /// How many events: 1,024.
    package var events: Int
    /// How many bytes of them, the last one's aside: 4 MiB.
    package var bytes: Int

    package init(events: Int = Self.defaultEvents, bytes: Int = Self.defaultBytes) {
        self.events = events
        self.bytes = bytes
    }

    /// How many events, unless somebody says otherwise.
    package static let defaultEvents = 1024
    /// How many bytes, unless somebody says otherwise.
    package static let defaultBytes = 4 << 20
}
