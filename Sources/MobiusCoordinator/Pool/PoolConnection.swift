import Dispatch
import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire
import Synchronization

/// The connection of one loop to the socket thread of its pool.
final class PoolConnection<Effect: Codable & Sendable, Event: Codable & Sendable>: Sendable {
    private let loop: LoopID
    private let mailbox: PoolMailbox<Event>
    private let queue: DispatchQueue
    private let effects = TypedCodec<Effect>.json()
    private let lastEffect = Atomic<UInt64>(0)

    /// Opens the loop with this number in its pool.
    init(number: UInt64, mailbox: PoolMailbox<Event>) {
        guard let loop = LoopID("loop-\(number)") else { preconditionFailure("A numbered loop name is always valid.") }
        self.loop = loop
        self.mailbox = mailbox
        queue = DispatchQueue(label: "mobius.pool.\(loop)")
        mailbox.post(.open(loop))
    }

    /// Sends an effect to the workers; disposing of the result cancels the effect.
    func send(
        _ effect: Effect, by route: RemoteRoute<Event>, _ callback: EffectCallback<Event>
    ) -> any Disposable {
        if route.policy is SenderRoute {
            callback.end()  // the events of a pool's loops have no senders
            return EmptyDisposable()
        }
        let order = PoolCallback(callback: callback, answer: route.answer, queue: queue)
        if let reason = route.reasonAgainstPools {
            order.fail(.failed(reason: reason))
            return EmptyDisposable()
        }
        let payload: Payload
        do {
            payload = try effects.encode(effect)
        } catch {
            order.fail(.failed(reason: "the effect cannot be written: \(error)"))
            return EmptyDisposable()
        }
        let id = EffectID(loop: loop, sequence: lastEffect.add(1, ordering: .relaxed).newValue, index: 0)
        if let reason = mailbox.post(.submit(id, PlannedEffect(effect: payload, plan: route.plan), order)) {
            order.fail(.failed(reason: reason))
            return EmptyDisposable()
        }
        return AnonymousDisposable { [mailbox] in mailbox.post(.cancel(id)) }
    }

    func close() {
        mailbox.post(.close(loop))
    }
}
