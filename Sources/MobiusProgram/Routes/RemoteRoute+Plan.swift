package import MobiusCore
package import MobiusEngine

extension EffectPlan {
    /// The policy of a route that leaves the process: all such routes store a plan, but for toSender and refuses, which
    /// store a ``SenderRoute``, and routes to loops of other programs, which store an ``AddressedRoute``.
    ///
    /// A route to a loop without a possible name stores a ``ProgramError`` instead, which ``RemoteRoute/complaint`` gives.
    init(of policy: any Sendable) {
        let policy = (policy as? AddressedRoute)?.plan ?? policy
        guard let plan = policy as? EffectPlan else {
            preconditionFailure("A route leaves the process only by routes of this library, which give it a plan.")
        }
        self = plan
    }
}

extension RemoteRoute {
    /// The reason why the effect cannot be carried out, if it cannot.
    package var complaint: ProgramError? {
        policy as? ProgramError ?? (policy as? AddressedRoute)?.plan as? ProgramError
    }

    /// The plan of the effect: its destination and its settings.
    package var plan: EffectPlan { EffectPlan(of: policy) }
}

extension RemoteRoute {
    /// The reason why a worker pool, which has no journal and no other loops, cannot carry out the effect; `nil` if it
    /// can.
    package var reasonAgainstPools: String? {
        if let complaint { return complaint.description }
        switch plan.destination {
        case .local, .pool, .timer, .cancel, .sender: return nil
        case .endLoop: return "only a coordinator has loops that end: .endsLoop works there only"
        case .loop: return "only a coordinator has other loops: .toLoop works there only"
        case .atEnd(_, ends: false): return "only a coordinator has other loops: .toLoopAtEnd works there only"
        case .atEnd(_, ends: true): return "only a coordinator has other loops: .endsLoopAtEnd works there only"
        case .ask: return "only a coordinator has other loops: .asks works there only"
        }
    }
}
