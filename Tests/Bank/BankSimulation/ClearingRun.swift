import Clearing
package import FleetSimulation
import MobiusEngine
import MobiusProgram
package import MobiusTestKit
import MobiusWire

/// One run of the bank whose accounts and transfers are loops of programs that ask each other, drawn from a seed.
package struct ClearingRun {
    package let simulation: Simulation<Programs>

    /// What goes wrong in the run of every eighth seed: it costs about as much as the seed's other run.
    package static func violations(seed: UInt64, onTrace: ((String) -> Void)? = nil) -> [Violation] {
        guard seed % 8 == 5 else { return [] }
        let run = ClearingRun(seed: seed)
        run.simulation.world.onTrace = onTrace
        return run.run()
    }

    package init(seed: UInt64) {
        var draw = Chance(seed: seed &+ 0xC1EA2)
        let isCluster = draw.percent(40)
        // Another shard has to commit meanwhile: less than that takes would never be enough.
        let patience = draw.percent(60) ? draw.milliseconds(isCluster ? 300...3000 : 5...300) : nil
        var scenario = Scenario<Programs>(
            functions: SeveralPrograms(
                Programs {
                    Account.self
                    Transfer.routed(by: Transfer.routes(patience: patience))
                    Vault.self
                }),
            places: [.init(pools: ["nobody"], capacity: 1)], requests: [], timing: BankRun.timing(&draw),
            faults: .drawn(&draw), handle: { _, _, _ in [.finish(nil)] })
        scenario.loops = Self.accounts.compactMap { Address<Account>($0).loop }
        scenario.requests = Self.requests(&draw)
        scenario.snapshots = draw.percent(67)
        scenario.readers = draw.pick([0, 0, 1])
        if draw.percent(40) { scenario.idleAfter = draw.milliseconds(1...40) }
        if isCluster { scenario.cluster = Self.cluster(&scenario, &draw) }
        // An operator who gives a question up leaves open what has happened.
        if draw.percent(40) { scenario.act = { effect, _ in effect.value is Transfer.Effect ? (.fail, nil) : nil } }
        simulation = Simulation(scenario, seed: seed)
    }

    private static let accounts = ["1", "2", "3", "4"]

    private static func requests(_ draw: inout Chance) -> [Scenario<Programs>.Request] {
        var requests: [Scenario<Programs>.Request] = []
        func add<Own: FleetProgram>(_ event: Own.Event, _ address: Address<Own>, _ draw: inout Chance) {
            guard let loop = address.loop else { return }
            requests.append(
                .init(loop: loop, key: address.name, event: ErasedValue(event), after: draw.milliseconds(0...1500)))
        }
        for account in accounts { add(.opened(1000), Address<Account>(account), &draw) }
        for number in 1...draw.number(4...16) {
            // Some of an account that nobody opens, or to it, or to the one that pays.
            let request = Transfer.Request(
                from: draw.pick(accounts + ["none"]), to: draw.pick(accounts + ["none"]),
                amount: draw.pick([1, 13, 40, 250, 700, 5000]))
            add(.requested(request), Address<Transfer>("\(number)"), &draw)
        }
        return requests
    }

    private static func cluster(_ scenario: inout Scenario<Programs>, _ draw: inout Chance) -> ClusterPlan {
        var plan = ClusterPlan(
            hosts: draw.pick([2, 3]), timing: LeaseTiming(lease: .milliseconds(draw.pick([400, 1000]))))
        plan.shards = draw.pick([1, 2, 4, 6])
        if scenario.faults.rate > 0 {
            plan.troubles = ClusterTrouble.allCases.filter { ![.split, .failOver].contains($0) && draw.percent(50) }
            plan.slow = draw.pick([0, 100])
        }
        // Most steps are calls of the database.
        scenario.faults.steps *= 3
        scenario.faults.hasInjectedFaults = true
        return plan
    }

    /// Runs to the end.
    ///
    /// - Returns: what was broken, in sentences.
    package func run() -> [Violation] {
        let violations = simulation.run()
        guard violations.isEmpty else { return violations }
        return books.complaints().map { Violation(.program, $0) }
    }

    private var books: Clearing.Books {
        func models<Own: FleetProgram>(_ program: Own.Type) -> [String: Own.Model] {
            simulation.finalModels.reduce(into: [:]) { models, loop in
                guard let address = Address<Own>(loop.key) else { return }
                models[address.key] = loop.value.unwrapped()
            }
        }
        return Clearing.Books(
            accounts: models(Account.self), transfers: models(Transfer.self),
            vault: models(Vault.self)[""] ?? Vault.Model())
    }
}
