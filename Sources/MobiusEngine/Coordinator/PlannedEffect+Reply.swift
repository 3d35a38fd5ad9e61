package import MobiusWire

extension OneOrMany<PlannedEffect> {
    /// The reply of the effects to the sender of their event: at most one of them has one.
    package var reply: SenderReply? {
        switch self {
        case .none: return nil
        case .one(let planned): return planned.plan.reply
        case .many(let planned):
            for effect in planned { if let reply = effect.plan.reply { return reply } }
            return nil
        }
    }
}

extension EffectPlan {
    fileprivate var reply: SenderReply? {
        guard isForSender, case .sender(let reply) = destination else { return nil }
        return reply
    }
}
