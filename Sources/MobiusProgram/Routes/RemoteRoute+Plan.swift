package import MobiusCore
package import MobiusEngine

extension EffectPlan {
    /// The policy of a route that leaves the process: toWorkers and toTimer, the only such routes, store a plan.
    init(of policy: any Sendable) {
        guard let plan = policy as? EffectPlan else {
            preconditionFailure("A route leaves the process by toWorkers or toTimer only, which give it a plan.")
        }
        self = plan
    }
}

extension RemoteRoute {
    /// Where and how the effect runs.
    package var plan: EffectPlan { EffectPlan(of: policy) }
}
