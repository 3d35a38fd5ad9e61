import CZeroMQ

/// Waits for sockets, monitors and wake-ups.
///
/// ```swift
/// var poller = Poller()
/// let workers = poller.add(socket, for: .readable)
/// let wakeUp = poller.add(thread.wakeUp)
/// while try poller.wait(timeout: .seconds(1)) == 0 || !poller.isReadable(workers) {}
/// ```
/// It remembers sockets without keeping them: **remove a socket or monitor before it is closed**, because libzmq
/// crashes the process on a closed one. Wake-ups are kept alive. A poller belongs to the thread of its sockets;
/// waiting on another one crashes with a sentence. Waiting allocates nothing for up to 16 items.
public struct Poller: ~Copyable {
    /// What to wait for.
    public struct Interest: OptionSet, Sendable, Hashable {
        /// The bits, as libzmq numbers them.
        public let rawValue: Int16

        /// Makes a set from libzmq's bits.
        public init(rawValue: Int16) {
            self.rawValue = rawValue
        }

        /// Something can be received.
        public static let readable = Interest(rawValue: Int16(ZMQ_POLLIN))
        /// Something can be sent; a ROUTER always is writable.
        public static let writable = Interest(rawValue: Int16(ZMQ_POLLOUT))
    }

    /// The name under which a poller knows what was added to it.
    public struct Item: Sendable, Hashable {
        let index: Int
        let generation: UInt32
    }

    private struct Slot {
        var generation: UInt32 = 0
        var isUsed = true
        var wakeUp: WakeUp?
    }

    private var polled: [zmq_pollitem_t] = []
    private var slots: [Slot] = []
    private var owner: ThreadIdentity?

    /// Makes a poller that waits for nothing yet.
    public init() {}

    // MARK: - What to wait for

    /// Waits for a socket, too.
    public mutating func add(_ socket: borrowing Socket, for interest: Interest = .readable) -> Item {
        socket.checkThread()
        owner = socket.owner
        return add(zmq_pollitem_t(socket: socket.handle, fd: 0, events: interest.rawValue, revents: 0), nil)
    }

    /// Waits for a monitor's events, too.
    public mutating func add(_ monitor: borrowing SocketMonitor) -> Item {
        add(monitor.socket, for: .readable)
    }

    /// Waits for a signal, too; it is readable until drained.
    public mutating func add(_ wakeUp: WakeUp) -> Item {
        add(zmq_pollitem_t(socket: nil, fd: wakeUp.readEnd, events: Interest.readable.rawValue, revents: 0), wakeUp)
    }

    /// Changes what is waited for; with an empty interest the item stays but never is ready.
    public mutating func setInterest(_ interest: Interest, for item: Item) {
        check(item)
        polled[item.index].events = interest.rawValue
        polled[item.index].revents &= interest.rawValue
    }

    /// Forgets an item; its name must not be used again.
    public mutating func remove(_ item: Item) {
        check(item)
        polled[item.index] = Self.unused
        slots[item.index] = Slot(generation: item.generation &+ 1, isUsed: false)
    }

    // MARK: - Waiting

    /// Waits until an item is ready, at most for `timeout`; zero only looks, `nil` waits for ever.
    ///
    /// The time counts in whole milliseconds, rounded up. Interruptions by signals are slept through.
    ///
    /// - Returns: how many items are ready; 0 when the time is over.
    /// - Throws: `terminated` when the context of a socket ended.
    @discardableResult
    public mutating func wait(timeout: Duration?) throws(ZeroMQError) -> Int {
        if let owner, owner != .current { Socket.crashOnWrongThread() }
        var milliseconds = timeout.map { max(0, Int(clamping: $0.wholeMilliseconds)) } ?? -1
        let deadline = timeout.flatMap { $0 > .zero ? ContinuousClock.now + $0 : nil }
        while true {
            let count = polled.withUnsafeMutableBufferPointer { items in
                zmq_poll(items.baseAddress, Int32(items.count), milliseconds)
            }
            if count >= 0 { return Int(count) }
            guard zmq_errno() == EINTR else { throw .last("wait for sockets") }
            if let deadline { milliseconds = max(0, Int(clamping: (deadline - .now).wholeMilliseconds)) }
        }
    }

    /// Whether the last wait found something to receive.
    public func isReadable(_ item: Item) -> Bool {
        check(item)
        return polled[item.index].revents & Interest.readable.rawValue != 0
    }

    /// Whether the last wait found room to send.
    public func isWritable(_ item: Item) -> Bool {
        check(item)
        return polled[item.index].revents & Interest.writable.rawValue != 0
    }

    // MARK: - Slots

    /// Polls nothing: poll(2) skips negative descriptors.
    private static var unused: zmq_pollitem_t { zmq_pollitem_t(socket: nil, fd: -1, events: 0, revents: 0) }

    private mutating func add(_ item: zmq_pollitem_t, _ wakeUp: WakeUp?) -> Item {
        guard let index = slots.firstIndex(where: { !$0.isUsed }) else {
            polled.append(item)
            slots.append(Slot(wakeUp: wakeUp))
            return Item(index: polled.count - 1, generation: 0)
        }
        polled[index] = item
        slots[index].isUsed = true
        slots[index].wakeUp = wakeUp
        return Item(index: index, generation: slots[index].generation)
    }

    private func check(_ item: Item) {
        guard item.index < slots.count, slots[item.index].isUsed, slots[item.index].generation == item.generation
        else { fatalError("This item is not in this poller: it was removed, or another poller made it.") }
    }
}
