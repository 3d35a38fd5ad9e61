package import MobiusCore
package import MobiusEngine

extension EffectPlan {
    /// What a route that leaves the process keeps as its policy: by toWorkers and toTimer, the only such routes, a plan.
    init(of policy: any Sendable) {
        guard let plan = policy as? EffectPlan else {
            preconditionFailure("A route leaves the process by toWorkers or toTimer only, which give it a plan.")
        }
        self = plan
    }
}

extension RemoteRoute {
    /// Who carries the effect out, and how.
    package var plan: EffectPlan { EffectPlan(of: policy) }
}
