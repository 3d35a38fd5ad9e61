public import MobiusCore

/// An event source made of an `AsyncSequence`: a stream, notifications, an `AsyncTimerSequence`.
///
/// Each subscription iterates a new sequence, in its own task; disposing of it cancels the task, and nothing is sent
/// afterwards. A sequence that ends, or throws, sends nothing more.
public final class AsyncEventSource<Event>: EventSource {
    private let start: @Sendable (EventOutlet<Event>) -> Task<Void, Never>

    /// Sends the elements of what `sequence` returns; it is called once for each subscription.
    public init<Events: AsyncSequence & SendableMetatype>(_ sequence: @escaping @Sendable () -> Events)
    where Events.Element == Event {
        start = { outlet in
            Task {
                do {
                    for try await event in sequence() {
                        if Task.isCancelled { return }
                        outlet.deliver(event)
                    }
                } catch {
                    // It has ended, as without an error; errors to be reported must be elements.
                }
            }
        }
    }

    /// Runs the sequence and sends its elements to `consumer`, until the result is disposed of.
    @preconcurrency
    public func subscribe(consumer eventConsumer: @escaping Consumer<Event>) -> any Disposable {
        let outlet = EventOutlet(eventConsumer)
        let task = start(outlet)
        return AnonymousDisposable {
            task.cancel()
            outlet.close()
        }
    }
}
