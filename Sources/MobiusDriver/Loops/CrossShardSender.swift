import MobiusEngine
package import MobiusWire

/// Takes events of loops to loops of other shards.
///
/// An effect that is such an event is on disk before, and ends when the event is on disk in the other shard, under the
/// effect's id as its key. So each crash in between leads to exactly one application, as long as the loop remembers the key.
package protocol CrossShardSender: Sendable {
    /// Whether a loop is in another shard.
    func isForeign(_ loop: LoopID) -> Bool

    /// Sends what an effect is for another loop until that is known to be on disk, or refused.
    ///
    /// Effects for one loop are carried one after the other, in their order.
    ///
    /// - Parameter arrived: Called once, on any thread, with what came of it, which is not `unknown`; after `doubted` with a pause.
    ///   Not called any more when the coordinator ends.
    func carry(
        _ parcel: CrossShardParcel, of effect: EffectID, to loop: LoopID,
        arrived: @escaping @Sendable (_ outcome: DeliveryOutcome) -> Void)
}

/// What an effect is for a loop of another shard.
package enum CrossShardParcel: Equatable, Sendable {
    /// An event, with which the loop may begin.
    case event(Payload, begins: Bool)
    /// The loop's end.
    case end

    /// The request to the loop's coordinator.
    package func request(of effect: EffectID, to loop: LoopID) -> ClientRequest {
        switch self {
        case .event(let event, let begins):
            .send(loop: loop, key: EventKey.delivery(of: effect), event: event, begins: begins)
        case .end: .end(loop, why: LoopErrand.whyItEnds(with: effect.loop))
        }
    }

    /// Whether no loop begins with it.
    private var beginsNothing: Bool { if case .event(_, begins: true) = self { false } else { true } }

    /// What an answer means for it.
    package func outcome(_ answer: ClientAnswer) -> DeliveryOutcome {
        if beginsNothing {
            switch answer {
            case .notFound: return .arrived(nil)
            case .refused(let refusal) where refusal.code == .ended: return .arrived(nil)
            case .refused(let refusal) where refusal.code == .unknownName && self == .end: return .arrived(nil)
            default: break
            }
        }
        return DeliveryOutcome(answer)
    }
}

/// The outcome of a delivery, which decides what is done next.
package enum DeliveryOutcome: Equatable, Sendable {
    /// The event is on disk, and the loop told its sender this; or an operator has dropped it.
    case arrived(SenderReply?)
    /// The event is on disk; what the loop told its sender is not known.
    case uncertain
    /// The loop never takes this event, for this reason.
    case refused(String)
    /// The coordinator that runs the loop does not take it, for a reason that depends on its build or settings: in a rolling upgrade
    /// another one may.
    case doubted(String)
    /// It is to be sent again.
    case unknown

    fileprivate init(_ answer: ClientAnswer) {
        switch answer {
        // Applied before, and the loop has been removed since.
        case .done(let confirmation) where confirmation.repeated && confirmation.number == nil: self = .uncertain
        case .done(let confirmation): self = .arrived(confirmation.reply)
        case .dropped: self = .arrived(nil)
        case .refused(let refusal):
            switch refusal.code {
            // The key is the effect's own: its event arrived before, and this build may write it in other words.
            case .conflict: self = .uncertain
            case .invalidEvent, .tooLarge, .unknownName: self = .doubted(refusal.reason)
            case .ended, .tooManyLoops: self = .refused(refusal.reason)
            default: self = .unknown
            }
        default: self = .unknown
        }
    }
}
