import MobiusTestKit

extension FaultPlan {
    /// Each run has its own mix of faults: a few kinds that come often find more than all kinds that come seldom.
    static func drawn(_ draw: inout Chance) -> FaultPlan {
        var plan = FaultPlan()
        plan.steps = draw.pick([300, 600, 600, 1000])
        plan.disk.usualMicroseconds = draw.pick([100, 4000, 20_000])
        guard !draw.percent(3) else { return plan }  // a day on which nothing goes wrong
        plan.rate = draw.pick([30, 100, 200, 400])
        // Only coordinators come and go: nothing runs twice then.
        if draw.percent(12) {
            plan.troubles = [.killCoordinator, .killCoordinator, .endCoordinator, .unknownPeer]
            plan.disk.slow = draw.pick([0, 100])
            return plan
        }
        if draw.percent(60) { plan.network.lost = draw.pick([50, 300, 1000]) }
        if draw.percent(50) { plan.network.doubled = draw.pick([50, 500]) }
        if draw.percent(50) { plan.network.delayed = draw.pick([50, 400]) }
        if draw.percent(20) { plan.network.cut = draw.pick([10, 60]) }
        if draw.percent(15) { plan.disk.failing = draw.pick([50, 300]) }
        if draw.percent(30) { plan.disk.slow = draw.pick([50, 400]) }
        plan.troubles = Trouble.allCases.filter { _ in draw.percent(45) }
        return plan
    }
}
