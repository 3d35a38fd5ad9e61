import Dispatch
import Foundation
import Synchronization

/// Lets deliveries through until it is closed, and closes for good: nothing is delivered after ``close(then:)`` returns.
final class DeliveryGate: Sendable {
    private struct State {
        var isOpen = true
        /// The threads that deliver now; twice if one delivers inside a delivery.
        var inside: [UInt] = []
        /// What to do when the gate is closed and the last of them has left.
        var whenEmpty: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    /// Runs `delivery`, unless the gate is closed; no lock is held meanwhile.
    func deliver(_ delivery: () -> Void) {
        let thread = Self.currentThread
        let isOpen = state.withLock { state in
            if state.isOpen { state.inside.append(thread) }
            return state.isOpen
        }
        guard isOpen else { return }
        delivery()
        let whenEmpty = state.withLock { state in
            if let place = state.inside.lastIndex(of: thread) { state.inside.remove(at: place) }
            return Self.takeWhenEmpty(&state)
        }
        for act in whenEmpty { act() }
    }

    /// Closes the gate, waits until nobody is inside, and calls `release`, the first time.
    ///
    /// Called inside a delivery it does not wait, as a thread cannot wait for itself: the last one to leave calls
    /// `release` then.
    func close(then release: @escaping @Sendable () -> Void) {
        let thread = Self.currentThread
        let left = DispatchSemaphore(value: 0)
        let (mustWait, whenEmpty) = state.withLock { state in
            if state.isOpen { state.whenEmpty.append(release) }
            state.isOpen = false
            let mustWait = !state.inside.isEmpty && !state.inside.contains(thread)
            if mustWait { state.whenEmpty.append({ left.signal() }) }
            return (mustWait, Self.takeWhenEmpty(&state))
        }
        for act in whenEmpty { act() }
        if mustWait { left.wait() }
    }

    private static func takeWhenEmpty(_ state: inout State) -> [@Sendable () -> Void] {
        guard state.inside.isEmpty, !state.whenEmpty.isEmpty else { return [] }
        defer { state.whenEmpty = [] }
        return state.whenEmpty
    }

    private static var currentThread: UInt {
        #if canImport(Glibc)
            pthread_self()
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}
