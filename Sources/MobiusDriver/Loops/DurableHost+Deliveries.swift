import Logging
import MobiusCodec
package import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Events of loops for other loops.
extension DurableHost {
    package func deliver(
        _ id: EffectID, effect: Payload, to target: LoopID, as errand: LoopErrand,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws -> CoordinatorInput {
        let source = SourceKey.loop(id)
        let dropped = CrashLedger.Event(loop: id.loop, source: source)
        // An operator dropped it because its route traps; one for its own loop is dropped when it is applied.
        guard crashes.isEmpty || id.loop == target || !crashes.isDropped(dropped) else {
            forget(dropped)
            // A loop that asks gets an event for it, too: without an answer.
            return errand == .question ? .answered(id, LoopReply(nil)) : .completedWithoutEvent(id)
        }
        guard errand != .end else { return end(target, with: id) }
        // What an ended loop had sent needs its route only.
        let ended = end(id.loop) == nil ? nil : setting.preparer.routing(id.loop, trail)
        let sender = hosted(id.loop)
        guard let route = sender?.typed ?? ended else { return .hold(id.loop) }
        let event: Payload
        do {
            guard let made = try route.event(of: .delivery, effect: effect, from: source, trail) else {
                return .completedWithoutEvent(id)
            }
            event = made
        } catch {
            guard let sender else { return .undelivered(id, reason: "making its event failed: \(error)") }
            hold(sender, effect, from: source, because: "Making an event of effect \(id) failed: \(error).")
            return .hold(id.loop)
        }
        if let crossShardSender = setting.crossShardSender, crossShardSender.isForeign(target) {
            carry(.event(event, begins: errand.begins), of: id, to: target, by: crossShardSender)
            return .awaiting(id)
        }
        guard !isAway(target) else {
            fetch(target, for: .delivery)
            return .awaiting(id)
        }
        guard errand.begins || hosted(target) != nil else { return .completedWithoutEvent(id) }
        let opening: CoordinatorInput?
        do throws(CoordinatorError) {
            opening = try errand == .question ? self.opening(target, for: event, from: source) : self.opening(target)
        } catch  where error.code == .refusedByProgram {
            return .answered(id, LoopReply(.refusal(error.message)))
        } catch {
            return .undelivered(id, reason: "the loop \(target) cannot begin: \(error.message)")
        }
        if let opening { try tell(opening) }
        guard hosted(target) != nil else { return .undelivered(id, reason: nil) }
        var application = EventApplication(
            loop: target, source: source, event: event, ends: nil, origin: .effect(id))
        return try apply(&application).input(for: application)
    }

    /// Ends a loop with that of an effect, wherever it is.
    private func end(_ target: LoopID, with id: EffectID) -> CoordinatorInput {
        if let crossShardSender = setting.crossShardSender, crossShardSender.isForeign(target) {
            carry(.end, of: id, to: target, by: crossShardSender)
            return .awaiting(id)
        }
        guard !isAway(target) else {
            fetch(target, for: .delivery)
            return .awaiting(id)
        }
        return hosted(target) == nil ? .completedWithoutEvent(id) : .endAlong(id, target)
    }

    private func carry(
        _ parcel: CrossShardParcel, of id: EffectID, to loop: LoopID, by crossShardSender: any CrossShardSender
    ) {
        guard onTheirWay.insert(id).inserted else { return }
        crossShardSender.carry(parcel, of: id, to: loop) { [post = setting.post] outcome in
            post(.carried(id, to: loop, parcel, outcome))
        }
    }

    func carried(
        _ id: EffectID, to loop: LoopID, _ parcel: CrossShardParcel, _ outcome: DeliveryOutcome, at now: Moment,
        _ tell: (CoordinatorInput) throws -> Void
    ) throws {
        guard onTheirWay.remove(id) != nil else { return }
        switch outcome {
        case .arrived(let reply): try tell(.answered(id, LoopReply(reply)))
        case .uncertain: try tell(.answered(id, nil))
        case .doubted(let reason) where wouldTake(parcel, of: id, for: loop):
            if let suppressed = heldBackThrottle.admit(at: now) {
                setting.preparer.logger.warning(
                    "an event for another shard is refused by the build that runs its loop there, and is sent again",
                    metadata: [
                        "effect": "\(id)", "loop": "\(loop)", "reason": "\(reason)", "suppressed": "\(suppressed)",
                        "do": "upgrade all coordinators, or: mobius dead drop \(id)",
                    ])
            }
            try tell(.heldBack(id, reason: reason))
        case .doubted(let reason), .refused(let reason): try tell(.undeliverable(id, reason: reason))
        case .unknown: break  // it is sent again
        }
        try tell(.arrived(loop))
    }

    /// Whether this build would take an event that the coordinator of another shard refused: then that is not the last word.
    private func wouldTake(_ parcel: CrossShardParcel, of id: EffectID, for loop: LoopID) -> Bool {
        guard case .event(let event, _) = parcel, event.bytes.count <= setting.status.maximumPayload,
            setting.preparer.calls.refusalToBegin(loop) == nil
        else { return false }
        do throws(CodingFailure) {
            try setting.preparer.calls.check(event, of: id, for: loop, trail)
            return true
        } catch {
            return false
        }
    }
}
