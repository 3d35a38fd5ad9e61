import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire
import Synchronization
import ZeroMQ

/// What loops tell the socket thread of their pool.
enum PoolInput<Event: Sendable>: Sendable {
    case open(LoopID)
    case submit(EffectID, PlannedEffect, PoolOrder<Event>)
    case cancel(EffectID)
    case close(LoopID)
    case stop
}

/// The mailbox of a pool, which can be closed: whoever comes later hears why.
final class PoolDoor<Event: Sendable>: Sendable {
    private let mailbox = Mailbox<PoolInput<Event>>()
    /// Held while something is posted, so that nothing can slip in behind the last that is taken.
    private let whyClosed = Mutex<String?>(nil)

    var wakeUp: WakeUp { mailbox.wakeUp }

    /// Adds something, unless the door is closed: then it returns the reason.
    @discardableResult
    func post(_ input: PoolInput<Event>) -> String? {
        whyClosed.withLock { reason in
            if reason == nil { mailbox.post(input) }
            return reason
        }
    }

    func take(into inputs: inout [PoolInput<Event>]) {
        mailbox.take(into: &inputs)
    }

    /// Closes it for this reason, and takes what is left.
    func close(_ reason: String) -> [PoolInput<Event>] {
        whyClosed.withLock { $0 = reason }
        var rest: [PoolInput<Event>] = []
        mailbox.take(into: &rest)
        return rest
    }
}
