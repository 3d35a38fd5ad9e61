import Logging
import MobiusDriver
import MobiusTransport
import Synchronization

/// Answers libzmq's ZAP requests, one for each new connection, and watches the allow-list's file.
///
/// It runs on a dedicated thread, so that authentication takes no time of the socket thread and does not wait for it. The
/// thread ends with the last reference, and with it what it has of the context.
final class ZAPAuthenticator: Sendable {
    /// The interval between checks of the file.
    static let lookInterval = Duration.seconds(1)

    private let thread = SocketThread(name: "authenticator")
    private let call: AuthenticationSignal
    private let order: Order

    /// A message from another thread to this one.
    private final class Order: Sendable {
        let wakeUp: WakeUp
        let isOver = Atomic(false)

        init() throws(ZeroMQError) {
            wakeUp = try WakeUp.ifPossible()
        }
    }

    /// Starts the authenticator of a context's sockets, which answers when the initializer returns.
    ///
    /// Bind the sockets afterwards.
    ///
    /// - Parameter changed: Called on the authenticator's thread after the allow-list has changed.
    /// - Throws: `ZeroMQError` when the context already has an authenticator, or no descriptor is free.
    init(
        _ admission: Admission, _ keys: KeyDirectory, in context: Context, call: AuthenticationSignal, logger: Logger,
        changed: @escaping @Sendable () -> Void
    ) throws(ZeroMQError) {
        self.call = call
        let order = try Order()
        self.order = order
        let ready = Handover<ZeroMQError?>()
        call.add(order.wakeUp)
        thread.start {
            let handler: ZAPHandler
            do throws(ZeroMQError) {
                handler = try ZAPHandler(in: context)
            } catch {
                return ready.give(error)  // the starting thread waits for this
            }
            ready.give(nil)
            let list = WatchedList(admission, keys, logger: logger, changed: changed)
            do throws(ZeroMQError) {
                try Self.answer(handler, admission, list, order, RefusalLog(logger: logger))
            } catch {
                // No new connection is admitted from now on, because sockets with a ZAP domain require an answer.
                logger.critical("allow-list authenticator failed", metadata: ["error": "\(error)"])
            }
        }
        if let error = ready.take() { throw error }
    }

    deinit {
        call.remove(order.wakeUp)
        order.isOver.store(true, ordering: .releasing)
        order.wakeUp.signal()
        // Its socket is closed then. The thread has no reference to this object, so it is not this one.
        thread.join()
    }

    private static func answer(
        _ handler: borrowing ZAPHandler, _ admission: Admission, _ list: consuming WatchedList,
        _ order: Order, _ log: consuming RefusalLog
    ) throws(ZeroMQError) {
        var poller = Poller()
        _ = poller.add(handler)
        let called = poller.add(order.wakeUp)
        while !order.isOver.load(ordering: .acquiring) {
            try poller.wait(timeout: list.nextLook - .now)
            if poller.isReadable(called) {
                order.wakeUp.drain()
                list.load()
            }
            // In batches of 256, so that a flood does not delay the next check of the list.
            for _ in 0..<256 {
                guard let request = try handler.next() else { break }
                var key = admitted(request, by: admission)
                if key == nil {
                    // It may have been made in this second, and its holder does not come again.
                    list.look()
                    key = admitted(request, by: admission)
                }
                if key == nil { log.refused(request, admission) }
                try handler.answer(request, admitAs: key)
            }
            if list.nextLook <= .now { list.look() }
        }
    }

    /// The request's key, if its holder may connect there.
    private static func admitted(_ request: ZAPRequest, by admission: Admission) -> String? {
        guard let key = request.publicKey, let listener = Admission.Listener(rawValue: request.domain) else {
            return nil
        }
        return admission.admits(key, to: listener) ? key : nil
    }
}

/// Makes all authenticators of a process reload the list; can be used on any thread.
final class AuthenticationSignal: Sendable {
    private let members = Mutex<[WakeUp]>([])

    /// Makes them reload the list.
    func reload() {
        members.withLock { for member in $0 { member.signal() } }
    }

    fileprivate func add(_ member: WakeUp) {
        members.withLock { $0.append(member) }
    }

    fileprivate func remove(_ member: WakeUp) {
        members.withLock { $0.removeAll { $0 === member } }
    }
}

/// The allow-list's file, which is reloaded when its stamp changes.
private struct WatchedList {
    let admission: Admission
    let keys: KeyDirectory
    let logger: Logger
    let changed: @Sendable () -> Void
    private(set) var nextLook = ContinuousClock.now + ZAPAuthenticator.lookInterval
    private var stamp: FileStamp?

    init(_ admission: Admission, _ keys: KeyDirectory, logger: Logger, changed: @escaping @Sendable () -> Void) {
        self.admission = admission
        self.keys = keys
        self.logger = logger
        self.changed = changed
        // `stamp` stays `nil`, so that the first check reloads a list that changed since the start.
    }

    /// Reads the file if it may have changed.
    mutating func look() {
        nextLook = .now + ZAPAuthenticator.lookInterval
        if keys.allowListStamp != stamp { load() }
    }

    /// Reads the file; the former list stays in force if it is invalid.
    mutating func load() {
        stamp = keys.allowListStamp
        do throws(KeyError) {
            let list = try keys.allowList()
            guard list != admission.list else { return }
            let fewer = admission.replace(with: list)
            logger.notice(
                "the allow-list was read again",
                metadata: [
                    "peers": "\(list.entries.count)", "changed": "\(fewer.map(\.name).joined(separator: ","))",
                ])
            changed()
        } catch {
            logger.error("allow-list not reloaded, the previous one stays in force", metadata: ["error": "\(error)"])
        }
    }
}

/// Logs refused connections, with a limited number of lines.
private struct RefusalLog {
    let logger: Logger
    private var throttle = LogThrottle()

    init(logger: Logger) {
        self.logger = logger
    }

    mutating func refused(_ request: ZAPRequest, _ admission: Admission) {
        guard let before = throttle.admit(at: .current) else { return }
        let name = request.publicKey.flatMap { admission.entry($0)?.name }
        logger.warning(
            "a connection was refused",
            metadata: [
                "from": "\(request.address)", "to": "\(request.domain)", "key": "\(request.publicKey ?? "none")",
                "name": "\(name ?? "not in the allow-list")", "unlogged": "\(before)",
            ])
    }
}
