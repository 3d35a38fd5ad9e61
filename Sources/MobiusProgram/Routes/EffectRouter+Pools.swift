package import MobiusCore
import MobiusEngine

extension EffectRouter {
    /// The pools that routes name, as far as that does not depend on the effect: routes with an affinity, and those of an
    /// exhaustive router, are missing.
    package var poolNames: [String] {
        fixedPolicies.compactMap { fixed in
            guard let plan = fixed.policy as? EffectPlan, case .pool(let name) = plan.destination else { return nil }
            return name
        }
    }
}
