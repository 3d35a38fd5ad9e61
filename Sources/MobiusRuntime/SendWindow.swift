import Foundation

/// Bounds the unacknowledged events of one handler: a sender waits while the window is full.
///
/// It may be used from any thread. No sender waits once the attempt `isOver`; the code that ends the attempt calls
/// ``wake()`` afterwards.
final class SendWindow: Sendable {
    private struct State {
        /// The number of unacknowledged events, and of their bytes.
        var events = 0
        var bytes = 0
        /// Tasks that wait for room, in the order in which they came.
        var tasks: [(number: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
        var lastTask: UInt64 = 0
    }

    private let limits: SendLimits
    // Foundation's, because threads block on it.
    private let condition = NSCondition()
    // Touched with the condition's lock held.
    nonisolated(unsafe) private var state = State()

    init(_ limits: SendLimits) {
        self.limits = limits
    }

    private var isFull: Bool { state.events >= max(1, limits.events) || state.bytes >= max(1, limits.bytes) }

    /// Whether there is enough room again to wake the waiting senders.
    private var isHalfEmpty: Bool { state.events <= limits.events / 2 && state.bytes <= limits.bytes / 2 }

    /// Counts an event that is about to be sent; blocks the thread until there is room for it.
    ///
    /// - Returns: `false` when there is no room and the attempt is over or was asked to stop: the event is to be
    ///   dropped.
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

    /// Suspends until there is room, the task is cancelled or the attempt is over.
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

    /// Takes `events` acknowledged events with `bytes` bytes out of the window.
    func acknowledge(events: Int, bytes: Int) {
        condition.lock()
        state.events = max(0, state.events - events)
        state.bytes = max(0, state.bytes - bytes)
        let isHalfEmpty = isHalfEmpty
        if isHalfEmpty { condition.broadcast() }
        let room = isHalfEmpty ? max(1, limits.events) - state.events : 0
        condition.unlock()
        // One task per free place: a send that finds no place blocks its thread.
        if room > 0 { resume { tasks in tasks.removeFirst(room, orFewer: ()) } }
    }

    /// Wakes all senders, so that they check whether the attempt is over.
    func wake() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
        resume { tasks in tasks.removeFirst(tasks.count, orFewer: ()) }
    }

    private typealias Tasks = [(number: UInt64, continuation: CheckedContinuation<Void, Never>)]

    /// Resumes the tasks that `pop` removes from the waiting ones.
    private func resume(_ pop: (inout Tasks) -> Tasks) {
        condition.lock()
        let taken = pop(&state.tasks)
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

/// The limits on the events of a handler that are sent and not acknowledged.
package struct SendLimits: Hashable, Sendable {
    /// The maximum number of events; 1,024 by default.
    package var events: Int
    /// The maximum number of their bytes, not counting the last event; 4 MiB by default.
    package var bytes: Int

    package init(events: Int = Self.defaultEvents, bytes: Int = Self.defaultBytes) {
        self.events = events
        self.bytes = bytes
    }

    package static let defaultEvents = 1024
    package static let defaultBytes = 4 << 20
}
