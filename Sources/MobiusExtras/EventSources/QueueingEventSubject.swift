import Dispatch
public import MobiusCore
import Synchronization

// Unchecked, because events need not be `Sendable`: their senders give them up. They are accessed with the lock held.
/// An event source to send through, which keeps events that are sent without a subscriber, up to a capacity.
///
/// Use it for events that must not be lost while a controller is stopped, or before its loop has started. A subscriber
/// first gets the kept events, then new ones, in the order they were sent; each event is delivered once. It may be used
/// from any thread: an event sent while another thread delivers is delivered by that thread, and the sender does not
/// wait. The capacity limits the events kept without a subscriber, not those that wait for a delivery.
///
/// One subscriber at a time; a second one is a programmer error, reported through `MobiusHooks`.
public final class QueueingEventSubject<Event>: EventSource, @unchecked Sendable {
    /// The event that is dropped when one is sent without a subscriber and the capacity is reached.
    public enum Overflow: Sendable, Hashable {
        /// The oldest kept event.
        case dropOldest
        /// The event being sent.
        case dropNewest
    }

    private struct State {
        var queue = EventQueue<Event>()
        /// The subscriber and its number.
        var consumer: Consumer<Event>?
        var subscription = 0
        /// The thread that delivers, while one does.
        var deliverer = ThreadIdentity.none
        /// Ended subscribers that wait for the running delivery.
        var waiters: [DispatchSemaphore] = []
    }

    /// The maximum number of events that are kept without a subscriber.
    public let capacity: Int
    /// The event that is dropped beyond the capacity.
    public let overflow: Overflow

    private let lock = Lock<Void>(())
    private var state = State()

    /// A subject that keeps up to `capacity` events for the next subscriber; 0 keeps none.
    public init(capacity: Int, overflow: Overflow = .dropOldest) {
        precondition(capacity >= 0, "A QueueingEventSubject's capacity is 0 or more.")
        self.capacity = capacity
        self.overflow = overflow
    }

    /// Sends `event` to the subscriber, on the calling thread unless another is delivering; keeps it if there is none.
    ///
    /// - Returns: `false` if an event was dropped because of the capacity: see ``overflow``.
    @discardableResult
    public func send(_ event: Event) -> Bool {
        var isRoomy = true
        // Released outside the lock: that may run user code.
        var dropped: Event?
        var delivers = false
        lock.withLock { _ in
            if state.consumer == nil, state.queue.count >= capacity {
                isRoomy = false
                guard overflow == .dropOldest, capacity > 0 else { return }
                dropped = state.queue.popFirst()
            }
            state.queue.append(event)
            delivers = startsDelivering()
        }
        _ = dropped
        if delivers { deliver() }
        return isRoomy
    }

    /// Delivers the kept events, on the calling thread, and later ones, until the result is disposed of.
    ///
    /// When the result's `dispose()` returns, nothing more is delivered, and events are kept again.
    @preconcurrency
    public func subscribe(consumer eventConsumer: @escaping Consumer<Event>) -> any Disposable {
        var subscription: Int?
        var delivers = false
        lock.withLock { _ in
            guard state.consumer == nil else { return }
            state.consumer = eventConsumer
            state.subscription += 1
            subscription = state.subscription
            delivers = startsDelivering()
        }
        guard let subscription else {
            MobiusHooks.errorHandler(
                "A QueueingEventSubject has a subscriber already: it takes one at a time.", #file, #line)
        }
        if delivers { deliver() }
        return AnonymousDisposable { self.end(subscription) }
    }

    /// With the lock held: makes the calling thread the delivering one, if there are events.
    private func startsDelivering() -> Bool {
        guard state.consumer != nil, !state.queue.isEmpty, state.deliverer == ThreadIdentity.none else { return false }
        state.deliverer = ThreadIdentity.current
        return true
    }

    private func deliver() {
        while true {
            var next: (event: Event, consumer: Consumer<Event>)?
            lock.withLock { _ in
                for waiter in state.waiters { waiter.signal() }
                state.waiters = []
                if let consumer = state.consumer, let event = state.queue.popFirst() {
                    next = (event, consumer)
                } else {
                    state.deliverer = ThreadIdentity.none
                }
            }
            guard let next else { return }
            next.consumer(next.event)
        }
    }

    private func end(_ subscription: Int) {
        // Released outside the lock: that may run user code.
        var ended: Consumer<Event>?
        var dropped: [Event] = []
        var waiter: DispatchSemaphore?
        lock.withLock { _ in
            guard state.subscription == subscription else { return }
            ended = state.consumer.take()
            while state.queue.count > capacity, let event = giveWay() { dropped.append(event) }
            guard state.deliverer != ThreadIdentity.none, state.deliverer != ThreadIdentity.current else { return }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiters.append(semaphore)
            waiter = semaphore
        }
        waiter?.wait()
        _ = (ended, dropped)
    }

    /// With the lock held: removes and returns the event to drop.
    private func giveWay() -> Event? {
        switch overflow {
        case .dropOldest: state.queue.popFirst()
        case .dropNewest: state.queue.popLast()
        }
    }
}
