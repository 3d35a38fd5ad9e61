import MobiusEngine
import MobiusWire

// Events of loops for other loops.
extension CoordinatorDriver {
    func deliver(_ id: EffectID, _ effect: Payload, to loop: LoopID) throws {
        guard !machine.isHeld(loop) else { return try tell(.undelivered(id, reason: nil)) }
        let input = try host.deliver(id, effect: effect, to: loop, tell)
        try answer(input)
        // The loop is held by this event, or the sender by its route: the effect waits, if it is still there.
        if case .hold = input { try tell(.undelivered(id, reason: nil)) }
    }
}
