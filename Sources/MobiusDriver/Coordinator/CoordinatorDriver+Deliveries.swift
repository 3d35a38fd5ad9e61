import MobiusEngine
import MobiusWire

// Events of loops for other loops, and for loops that begin again.
extension CoordinatorDriver {
    func deliver(_ id: EffectID, _ effect: Payload, to loop: LoopID) throws {
        guard machine.isAddressed(id) else { return }
        guard machine.admitsDelivery(to: loop) else { return try tell(.undelivered(id, reason: nil)) }
        // It may leave this process: see CrossShardSender.
        try requirePermit()
        let input = try host.deliver(id, effect: effect, to: loop, as: machine.errand(of: id), tell)
        try answer(input)
        // The loop is held by this event, or the sender by its route: the effect waits, if it is still there.
        if case .hold = input { try tell(.undelivered(id, reason: nil)) }
    }

    /// Begins an ended loop again for an event.
    func applyAnew(_ application: EventApplication) throws {
        guard machine.hasEnded(application.loop) else { return try apply(application) }
        switch try host.beginAgain(for: application) {
        case .begins(let input):
            try tell(input)
            try apply(application)
        case .refused(let refusal):
            guard case .outside(let request) = application.origin else { return }
            try refuse(request, refusal)
        case .refusedByProgram(let reason):
            // Whether the loop has ended may not be on disk yet, and nobody is told of that before.
            guard case .outside(let request) = application.origin else { return }
            try show(.done(EventConfirmation(repeated: false, reply: .refusal(reason))), to: request)
        }
    }
}
