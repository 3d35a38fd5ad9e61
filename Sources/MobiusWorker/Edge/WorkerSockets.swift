import MobiusTransport

extension WorkerSocket {
    /// The connection, while something is read from it: a poller would not sleep because of what nobody reads.
    fileprivate var polled: CoordinatorConnection? { hasLeft ? nil : connection }
}

/// The sockets of a worker, one for each shard, in one context and with one poller.
///
/// Only the thread that runs the edge uses it.
final class WorkerSockets {
    let context = Context()
    /// By the number of the shard.
    private(set) var all: [WorkerSocket] = []
    private let wakeUp: WakeUp
    /// A poller of the connections as they are; made anew when one has changed.
    private var polled: Polled?

    private final class Polled {
        var poller = Poller()
        let wakeUp: Poller.Item
        var items: [(connection: CoordinatorConnection, messages: Poller.Item, events: Poller.Item)?] = []

        init(_ wakeUp: WakeUp, _ sockets: [WorkerSocket]) {
            self.wakeUp = poller.add(wakeUp)
            for socket in sockets {
                guard let connection = socket.polled else {
                    items.append(nil)
                    continue
                }
                let (messages, events) = connection.add(to: &poller)
                items.append((connection, messages, events))
            }
        }

        func isOf(_ sockets: [WorkerSocket]) -> Bool {
            guard items.count == sockets.count else { return false }
            for (item, socket) in zip(items, sockets) where item?.connection !== socket.polled { return false }
            return true
        }
    }

    /// - Parameter wakeUp: ends ``wait(timeout:)``, as the connections do.
    init(wakeUp: WakeUp) {
        self.wakeUp = wakeUp
    }

    func add(_ socket: WorkerSocket) { all.append(socket) }

    /// Waits for a message, an event of a connection or the wake-up, and notes at each socket what is ready.
    ///
    /// - Returns: whether the wake-up came.
    func wait(timeout: Duration) throws -> Bool {
        let polled: Polled
        if let known = self.polled, known.isOf(all) {
            polled = known
        } else {
            // A closed socket must not be polled.
            self.polled = nil
            polled = Polled(wakeUp, all)
            self.polled = polled
        }
        try polled.poller.wait(timeout: timeout)
        for (item, socket) in zip(polled.items, all) {
            guard let item else { continue }
            socket.ready = CoordinatorConnection.Ready(
                messages: polled.poller.isReadable(item.messages), expectsOne: polled.poller.hasSlept,
                events: polled.poller.isReadable(item.events))
        }
        return polled.poller.isReadable(polled.wakeUp)
    }

    /// Messages may wait at each.
    func readAll() { for socket in all { socket.ready.messages = true } }

    /// Throws the first failure, if there is one.
    func throwFailure() throws { for socket in all { try socket.throwFailure() } }

    /// Closes the sockets for good, after the last messages have been transmitted.
    func close() {
        polled = nil
        for socket in all { socket.close() }
        // The last messages get up to a second, so the worker's end is not delayed for longer.
        context.terminate(patience: .seconds(1))
    }
}
