import Logging
import MobiusDriver
import MobiusKeys
import Synchronization
import ZeroMQ

/// Answers libzmq, which asks for each connection whether its key may come in, and watches the allow-list's file.
///
/// It has a thread of its own: strangers in any number cost the socket thread nothing, and connections never wait for it.
final class Doorkeeper: Sendable {
    /// How often the file is looked at.
    static let lookInterval = Duration.seconds(1)

    private let thread = SocketThread(name: "doorkeeper")
    private let call: DoorCall

    /// Answers for a context's sockets, on return; bind them afterwards.
    ///
    /// - Parameter changed: Called on the thread after the allow-list has changed.
    /// - Throws: `ZeroMQError` when the context has another one, or there is no descriptor left for it.
    init(
        _ admission: Admission, _ keys: KeyDirectory, in context: Context, call: DoorCall, logger: Logger,
        changed: @escaping @Sendable () -> Void
    ) throws(ZeroMQError) {
        self.call = call
        let ready = Handover<ZeroMQError?>()
        thread.start { _ in
            let handler: ZAPHandler
            do throws(ZeroMQError) {
                handler = try ZAPHandler(in: context)
            } catch {
                return ready.give(error)  // the starting thread waits for this
            }
            ready.give(nil)
            let list = WatchedList(admission, keys, logger: logger, changed: changed)
            do throws(ZeroMQError) {
                try Self.answer(handler, admission, list, call, RefusalLog(logger: logger))
            } catch {
                // Nobody comes in any more: sockets with a domain insist on an answer.
                logger.critical("nobody answers for the allow-list any more", metadata: ["error": "\(error)"])
            }
        }
        if let error = ready.take() { throw error }
    }

    /// Stops answering; on return its socket is closed.
    func leave() {
        call.leave()
        thread.join()
    }

    private static func answer(
        _ handler: borrowing ZAPHandler, _ admission: Admission, _ list: consuming WatchedList, _ call: DoorCall,
        _ log: consuming RefusalLog
    ) throws(ZeroMQError) {
        var poller = Poller()
        _ = poller.add(handler)
        let called = poller.add(call.wakeUp)
        while !call.isOver {
            try poller.wait(timeout: list.nextLook - .now)
            if poller.isReadable(called) {
                call.wakeUp.drain()
                list.look(again: true)
            }
            // In portions, so that a flood does not keep the list from being read.
            for _ in 0..<256 {
                guard let request = try handler.next() else { break }
                let door = Admission.Door(rawValue: request.domain)
                let key = request.publicKey.flatMap { key in
                    door.map { admission.admits(key, to: $0) } == true ? key : nil
                }
                if key == nil { log.refused(request, admission) }
                try handler.answer(request, admitAs: key)
            }
            list.look(again: false)
        }
    }
}

/// Tells a ``Doorkeeper`` to read the list now, or to leave; from any thread.
final class DoorCall: Sendable {
    let wakeUp = WakeUp()
    private let over = Mutex(false)

    var isOver: Bool { over.withLock { $0 } }

    /// The list may have changed.
    func look() {
        wakeUp.signal()
    }

    func leave() {
        over.withLock { $0 = true }
        wakeUp.signal()
    }
}

/// The allow-list's file, read again when it looks different.
private struct WatchedList {
    let admission: Admission
    let keys: KeyDirectory
    let logger: Logger
    let changed: @Sendable () -> Void
    private(set) var nextLook = ContinuousClock.now + Doorkeeper.lookInterval
    private var stamp: FileStamp?

    init(_ admission: Admission, _ keys: KeyDirectory, logger: Logger, changed: @escaping @Sendable () -> Void) {
        self.admission = admission
        self.keys = keys
        self.logger = logger
        self.changed = changed
        // Nothing: what changed since it was read at the start is read at the first look.
    }

    mutating func look(again: Bool) {
        let now = ContinuousClock.now
        guard again || nextLook <= now else { return }
        nextLook = now + Doorkeeper.lookInterval
        let newest = keys.allowListStamp
        guard again || newest != stamp else { return }
        stamp = newest
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
            logger.error("the allow-list is not read again, the former one holds", metadata: ["error": "\(error)"])
        }
    }
}

/// Logs who was refused: few lines, however many come.
private struct RefusalLog {
    let logger: Logger
    private var throttle = LogThrottle()

    init(logger: Logger) {
        self.logger = logger
    }

    mutating func refused(_ request: ZAPRequest, _ admission: Admission) {
        guard let before = throttle.admit(at: .now) else { return }
        let name = request.publicKey.flatMap { admission.entry($0)?.name }
        logger.warning(
            "a connection was refused",
            metadata: [
                "from": "\(request.address)", "to": "\(request.domain)", "key": "\(request.publicKey ?? "none")",
                "name": "\(name ?? "not in the allow-list")", "unlogged": "\(before)",
            ])
    }
}
