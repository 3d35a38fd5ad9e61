import Dispatch
import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire
import Synchronization

/// The way of one connected loop to the socket thread of its pool.
final class PoolLink<Effect: Codable & Sendable, Event: Codable & Sendable>: Sendable {
    private let loop: LoopID
    private let door: PoolDoor<Event>
    private let queue: DispatchQueue
    private let effects = TypedCoding<Effect>.json()
    private let lastEffect = Atomic<UInt64>(0)

    /// Opens the loop with this number in its pool.
    init(number: UInt64, door: PoolDoor<Event>) {
        guard let loop = LoopID("loop-\(number)") else { preconditionFailure("A number is short enough for a name.") }
        self.loop = loop
        self.door = door
        queue = DispatchQueue(label: "mobius.pool.\(loop)")
        door.post(.open(loop))
    }

    /// Sends an effect to the workers; disposing of the result cancels it.
    func send(
        _ effect: Effect, by route: RemoteRoute<Event>, _ callback: EffectCallback<Event>
    ) -> any Disposable {
        let order = PoolOrder(callback: callback, answer: route.answer, queue: queue)
        let payload: Payload
        do {
            payload = try effects.encode(effect)
        } catch {
            order.fail(.failed(reason: "the effect cannot be written: \(error)"))
            return EmptyDisposable()
        }
        let id = EffectID(loop: loop, sequence: lastEffect.add(1, ordering: .relaxed).newValue, index: 0)
        if let reason = door.post(.submit(id, PlannedEffect(effect: payload, plan: route.plan), order)) {
            order.fail(.failed(reason: reason))
            return EmptyDisposable()
        }
        return AnonymousDisposable { [door] in door.post(.cancel(id)) }
    }

    func close() {
        door.post(.close(loop))
    }
}
