import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire
import Synchronization

/// Messages from loops to the socket thread of their pool.
enum PoolInput<Event: Sendable>: Sendable {
    case open(LoopID)
    case submit(EffectID, PlannedEffect, PoolCallback<Event>)
    case cancel(EffectID)
    case close(LoopID)
    case stop
}

/// The mailbox of a pool, which can be closed; later posts get the reason.
final class PoolMailbox<Event: Sendable>: Sendable {
    private let mailbox = Mailbox<PoolInput<Event>>()
    /// Locked while an input is posted, so that none can be added after the last ones were taken.
    private let whyClosed = Mutex<String?>(nil)

    var wakeUp: WakeUp { mailbox.wakeUp }

    /// Posts an input; if the mailbox is closed, posts nothing and returns the reason.
    @discardableResult
    func post(_ input: PoolInput<Event>) -> String? {
        whyClosed.withLock { reason in
            if reason == nil { mailbox.post(input) }
            return reason
        }
    }

    func drain(into inputs: inout [PoolInput<Event>]) {
        mailbox.drain(into: &inputs)
    }

    /// Closes the mailbox for this reason, and returns the remaining inputs.
    func close(_ reason: String) -> [PoolInput<Event>] {
        whyClosed.withLock { $0 = reason }
        var rest: [PoolInput<Event>] = []
        mailbox.drain(into: &rest)
        return rest
    }
}
