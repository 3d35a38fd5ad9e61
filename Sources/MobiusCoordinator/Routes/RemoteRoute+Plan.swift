import MobiusCore
import MobiusEngine

extension RemoteRoute {
    /// Who runs the effect, and how often it is tried.
    var plan: EffectPlan {
        guard let plan = policy as? EffectPlan else {
            preconditionFailure("A route leads to other processes by toWorkers only, which gives it a plan.")
        }
        return plan
    }
}
