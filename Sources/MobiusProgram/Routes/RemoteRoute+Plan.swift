package import MobiusCore
package import MobiusEngine

extension RemoteRoute {
    /// Who carries the effect out, and how.
    package var plan: EffectPlan {
        guard let plan = policy as? EffectPlan else {
            preconditionFailure("A route leaves the process by toWorkers or toTimer only, which give it a plan.")
        }
        return plan
    }
}
