package import MobiusCore
package import MobiusEngine

extension EffectPlan {
    /// The policy of a route that leaves the process: toWorkers and toTimer store a plan, and toSender and refuses a
    /// ``SenderRoute``.
    init(of policy: any Sendable) {
        guard let plan = policy as? EffectPlan else {
            preconditionFailure("Only routes by toWorkers and toTimer have a plan.")
        }
        self = plan
    }
}

extension RemoteRoute {
    /// Where and how the effect runs.
    package var plan: EffectPlan { EffectPlan(of: policy) }
}
