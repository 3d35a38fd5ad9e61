import CZeroMQ

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Waits for sockets, monitors and wake-ups.
///
/// ```swift
/// var poller = Poller()
/// let workers = poller.add(socket, for: .readable)
/// let wakeUp = poller.add(interruption)
/// while !poller.isReadable(workers), !poller.isReadable(wakeUp) {
///     _ = try poller.wait(timeout: .seconds(1))
/// }
/// ```
/// It refers to sockets without keeping them alive: **remove a socket or monitor before it is closed**, because libzmq
/// crashes the process on a closed one. Wake-ups are kept alive. A poller belongs to the thread of its sockets, which
/// gives their ``SocketLock`` away while it sleeps; waiting on another one crashes with a message. Waiting allocates
/// nothing for up to 16 items.
public struct Poller: ~Copyable {
    /// The events to wait for.
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

    /// The identifier of something that was added to a poller.
    public struct Item: Sendable, Hashable {
        let index: Int
        let generation: UInt32
    }

    private struct Slot {
        var generation: UInt32 = 0
        var isUsed = true
        /// Something to wait for; its descriptor only signals that libzmq has to be checked.
        var socket: UnsafeMutableRawPointer?
        var use: SocketUse?
        /// Its number of uses at the last check.
        var usesSeen: UInt64 = 0
        var wakeUp: WakeUp?
        var interest: Interest = .readable
        var ready: Interest = []
    }

    // Both have one element per item: the descriptor to poll, and the item.
    private var polled: [pollfd] = []
    private var slots: [Slot] = []
    /// Whether the last wait slept, because nothing was there yet.
    public private(set) var hasSlept = false
    /// That of its sockets; two that others may have do not go together.
    private var lock: SocketLock?

    /// Makes a poller that waits for nothing yet.
    public init() {}

    // MARK: - What to wait for

    /// Adds a socket.
    public mutating func add(_ socket: borrowing Socket, for interest: Interest = .readable) -> Item {
        socket.checkThread()
        lock = lock?.isShared == true ? lock : socket.lock
        var descriptor: CInt = -1
        var size = MemoryLayout<CInt>.size
        let result = zmq_getsockopt(socket.handle, ZMQ_FD, &descriptor, &size)
        precondition(result == 0, "Every socket of these types has a descriptor.")
        return add(Slot(socket: socket.handle, use: socket.life.use, interest: interest), descriptor: descriptor)
    }

    /// Adds a monitor's events.
    public mutating func add(_ monitor: borrowing SocketMonitor) -> Item {
        add(monitor.socket, for: .readable)
    }

    /// Adds a wake-up signal; it is readable until drained.
    public mutating func add(_ wakeUp: WakeUp) -> Item {
        add(Slot(wakeUp: wakeUp), descriptor: wakeUp.readEnd)
    }

    /// Changes an item's interest; with an empty interest the item stays but is never ready.
    public mutating func setInterest(_ interest: Interest, for item: Item) {
        check(item)
        slots[item.index].interest = interest
        slots[item.index].usesSeen = 0
        polled[item.index].events = Self.events(for: interest)
        slots[item.index].ready.formIntersection(interest)
    }

    /// Removes an item; its identifier must not be used again.
    public mutating func remove(_ item: Item) {
        check(item)
        polled[item.index] = Self.unused
        slots[item.index] = Slot(generation: item.generation &+ 1, isUsed: false)
    }

    // MARK: - Waiting

    /// Waits until an item is ready, at most for `timeout`; zero only checks, `nil` waits for ever.
    ///
    /// The time counts in whole milliseconds, rounded up. Interruptions by signals do not end the wait.
    ///
    /// - Returns: the number of ready items; 0 when the time is over. Further items may be ready: the next wait reports them.
    /// - Throws: `terminated` when the context of a socket ended.
    @discardableResult
    public mutating func wait(timeout: Duration?) throws(ZeroMQError) -> Int {
        if let lock, !lock.isHeld { Socket.crashOnWrongThread() }
        // A socket's descriptor signals changes since libzmq last checked, and libzmq checks at every use of the
        // socket. So check used sockets first. zmq_poll would check all of them twice before it sleeps and once more
        // after.
        var count = 0
        for index in slots.indices {
            polled[index].revents = 0
            let isKnown = slots[index].ready.isEmpty && slots[index].use?.count == slots[index].usesSeen
            slots[index].ready = []
            if !isKnown, try look(at: index) { count += 1 }
        }
        let limit = WaitLimit(count > 0 ? .zero : timeout)
        hasSlept = !limit.isZero
        while true {
            try sleepUnlocked(limit)
            for index in polled.indices where polled[index].revents != 0 && slots[index].ready.isEmpty {
                if try look(at: index) { count += 1 }
            }
            if count > 0 || limit.isOver { return count }
        }
    }

    /// Sleeps, and lets other threads use the sockets meanwhile if they are shared.
    private mutating func sleepUnlocked(_ limit: WaitLimit) throws(ZeroMQError) {
        guard let lock, lock.isShared, !limit.isZero else { return try sleep(limit) }
        lock.unlock()
        defer { lock.lock() }
        try sleep(limit)
    }

    /// Waits until a descriptor is ready, or the time is over.
    private mutating func sleep(_ limit: WaitLimit) throws(ZeroMQError) {
        while true {
            let milliseconds = limit.left
            let count = polled.withUnsafeMutableBufferPointer { poll($0.baseAddress, nfds_t($0.count), milliseconds) }
            if count >= 0 { return }
            guard errno == EINTR else { throw ZeroMQError(ZeroMQError.Code(rawValue: errno), "wait for sockets") }
        }
    }

    /// Checks a socket's events, or takes the poll's result for a wake-up; returns whether they match the interest.
    private mutating func look(at index: Int) throws(ZeroMQError) -> Bool {
        let interest = slots[index].interest
        guard let socket = slots[index].socket else {
            slots[index].ready = polled[index].revents == 0 ? [] : interest
            return !slots[index].ready.isEmpty
        }
        guard !interest.isEmpty else { return false }
        var events: CInt = 0
        var size = MemoryLayout<CInt>.size
        while zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size) != 0 {
            guard zmq_errno() == EINTR else { throw .last("wait for sockets") }
        }
        slots[index].usesSeen = slots[index].use?.note() ?? 0
        slots[index].ready = Interest(rawValue: Int16(truncatingIfNeeded: events)).intersection(interest)
        return !slots[index].ready.isEmpty
    }

    /// Whether the last wait found something to receive.
    public func isReadable(_ item: Item) -> Bool {
        check(item)
        return slots[item.index].ready.contains(.readable)
    }

    /// Whether the last wait found room to send.
    public func isWritable(_ item: Item) -> Bool {
        check(item)
        return slots[item.index].ready.contains(.writable)
    }

    // MARK: - Slots

    /// Polls nothing: poll(2) skips negative descriptors.
    private static var unused: pollfd { pollfd(fd: -1, events: 0, revents: 0) }

    /// A ready descriptor whose socket is not checked would stay ready, and no wait would sleep.
    private static func events(for interest: Interest) -> Int16 { interest.isEmpty ? 0 : Int16(POLLIN) }

    private mutating func add(_ slot: Slot, descriptor: CInt) -> Item {
        let entry = pollfd(fd: descriptor, events: Self.events(for: slot.interest), revents: 0)
        guard let index = slots.firstIndex(where: { !$0.isUsed }) else {
            polled.append(entry)
            slots.append(slot)
            return Item(index: polled.count - 1, generation: 0)
        }
        let generation = slots[index].generation
        polled[index] = entry
        slots[index] = slot
        slots[index].generation = generation
        return Item(index: index, generation: generation)
    }

    private func check(_ item: Item) {
        guard item.index < slots.count, slots[item.index].isUsed, slots[item.index].generation == item.generation
        else { fatalError("This item is not in this poller: it was removed, or another poller made it.") }
    }
}
