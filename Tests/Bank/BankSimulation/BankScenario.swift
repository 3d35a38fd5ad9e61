import Bank
package import FleetSimulation
import Foundation
import MobiusCore
import MobiusEngine
import MobiusProgram
package import MobiusTestKit
import MobiusWire

/// One run of the bank: what its customers want and what goes wrong, drawn from a seed.
package struct BankRun {
    package let simulation: Simulation<FallibleBank>
    private let ledgers = Ledgers()
    private let mistakes: Mistakes?
    static let branch = LoopID("branch") ?? .main

    package init(seed: UInt64) {
        var draw = Chance(seed: seed &+ 0x5EED)
        let isSmall = draw.percent(15)
        let payload = isSmall ? 2000 : 4 << 20
        let handlers = BankHandlers(oddness: draw.pick([0, 5, 15]), maximumPayload: payload, ledgers: ledgers)
        let routes = BankRoutes(&draw)
        var scenario = Scenario<FallibleBank>(
            routes: routes.router,
            places: Self.places(&draw), requests: [], timing: Self.timing(&draw), faults: .drawn(&draw),
            handle: handlers.handle)
        scenario.maximumPayload = UInt32(payload)
        scenario.snapshots = draw.percent(67)
        if draw.percent(40), let side = LoopID("side") { scenario.loops.append(side) }
        scenario.mayRequeue = {
            switch $0 {
            case .book, .archive: true
            default: false
            }
        }
        // Drawn apart, so that the other runs are what they were.
        var apart = Chance(seed: seed &+ 0xAC7)
        if apart.percent(40) { scenario.act = Self.act }
        scenario.pausesPools = apart.percent(25)
        // Every tenth: much slower, and with faults that memory does not have.
        if seed.isMultiple(of: 10) {
            scenario.medium = { FilesMedium(seed: seed) }
            scenario.faults.disk.failing = max(scenario.faults.disk.failing, 100)
        }
        if draw.percent(10) { scenario.maximumIntake = draw.number(1...3) }
        for loop in scenario.loops {
            scenario.requests += Customers.requests(loop, &draw, oversize: isSmall)
            scenario.finalRequests += Customers.farewell(scenario.requests, of: loop)
        }
        scenario.requests += Customers.remittances(scenario.loops, &draw)
        scenario.requests += Customers.closings(scenario.loops, &draw)
        let closesMain = scenario.requests.contains { $0.loop == .main && $0.event == .closed }
        if !routes.limitsStatements, !closesMain, scenario.maximumIntake > 100 {
            scenario.flood = Customers.flood(scenario.places)
        }
        if routes.sharesStatements, !closesMain, seed % 4 == 1 { scenario.requests += Customers.rush(seed) }
        if routes.sticks, !closesMain, seed % 8 == 2 { Customers.queue(&scenario.requests) }
        scenario.readers = draw.pick([0, 0, 0, 0, 1, 2])
        Self.drawIdleness(&scenario, seed: seed, oversize: isSmall)
        Self.drawLimits(&scenario, seed: seed)
        Self.drawLateJump(&scenario, seed: seed)
        if Self.isCluster(seed) {
            scenario.drawCluster(seed, routes)
            mistakes = nil
        } else {
            mistakes = Mistakes(&scenario, seed: seed)
        }
        Self.drawKinds(&scenario, routes, seed: seed)
        Self.drawQuestions(&scenario, seed: seed)
        Self.drawEnds(&scenario, seed: seed)
        Self.drawChildren(&scenario, seed: seed)
        simulation = Simulation(scenario, seed: seed)
    }

    package var world: World<FallibleBank> { simulation.world }

    /// Runs to the end.
    ///
    /// - Returns: what was broken, in sentences.
    package func run() -> [Violation] {
        let contexts = Contexts()
        world.onCommit = { contexts.committed($0) }
        var violations = contexts.noting { Mistakes.being(mistakes, in: simulation.traps) { simulation.run() } }
        violations += contexts.violations
        guard violations.isEmpty else { return violations }
        var entries = ledgers.entries[...]
        var models = simulation.finalModels.mapValues(\.bank)
        for loop in simulation.endedByHand { models[loop]?.hasClosed = true }
        // The books of a loop that has begun again are new.
        let scenario = simulation.scenario
        let isOnce = (scenario.loops + [Self.branch]).allSatisfy { simulation.begins(of: $0) < 2 }
        if isOnce {
            violations += Bank.reconcile(Dictionary(models.map { ($0.key.name, $0.value) }) { $1 })
                .map { Violation(.program, $0) }
        }
        for loop in scenario.loops {
            guard let model = models[loop], simulation.begins(of: loop) < 2 else {
                entries.removeAll { $0.key.hasPrefix("\(loop.name)/") }
                continue
            }
            let own = entries.filter { $0.key.hasPrefix("\(loop.name)/") }
            entries.removeAll { $0.key.hasPrefix("\(loop.name)/") }
            let sentences =
                Bank.check(model, whileBusy: !scenario.flood.isEmpty || model.hasClosed)
                + Bank.reconcile(model, with: own)
            violations += sentences.map { Violation(.program, "\(loop): \($0)") }
        }
        return violations
    }

    /// In a fifth of the runs ended loops are removed soon, and their names may come again.
    ///
    /// In others a coordinator reaches its limits all the time.
    private static func drawLimits(_ scenario: inout Scenario<FallibleBank>, seed: UInt64) {
        // Drawn apart, so that the other runs are what they were.
        var draw = Chance(seed: seed &+ 0xE4DED)
        if draw.percent(20) {
            scenario.keepEnded = draw.milliseconds(0...2000)
            // Readers compare what they read with the events of one life.
            scenario.readers = 0
        }
        if draw.percent(10) { scenario.maximumUncommitted = draw.number(1...40) }
        if draw.percent(10), scenario.flood.isEmpty {
            scenario.rememberedKeys = draw.number(1...4)
            scenario.maximumIntake = draw.number(1...4)
        }
        // Timers of loops may fill four times as much, and those that repeat would keep out for ever the loops that end them.
        let least = (scenario.loops.count + 3) / 4
        if draw.percent(10), scenario.flood.isEmpty { scenario.maximumBacklog = least + draw.number(1...12) }
        if draw.percent(20) { scenario.deadlinesPerRound = draw.number(1...3) }
    }

    /// In a third of the runs with few loops each of them is one of a program of its own.
    private static func drawKinds(_ scenario: inout Scenario<FallibleBank>, _ routes: BankRoutes, seed: UInt64) {
        // Drawn apart, so that the other runs are what they were.
        var draw = Chance(seed: seed &+ 0x50C5)
        guard draw.percent(33), scenario.loops.allSatisfy({ !$0.name.contains(" ") }) else { return }
        scenario.functions = BanksOfKinds(scenario.earlier == nil ? routes.router : routes.later)
    }

    /// In half of the runs some remittances ask the loops that they go to.
    private static func drawQuestions(_ scenario: inout Scenario<FallibleBank>, seed: UInt64) {
        // Drawn apart, so that the other runs are what they were.
        var draw = Chance(seed: seed &+ 0xA5C)
        guard draw.percent(50) else { return }
        for place in scenario.requests.indices {
            guard case .remittanceRequested(var remittance)? = scenario.requests[place].event, draw.percent(70) else {
                continue
            }
            remittance.asks = true
            scenario.requests[place].event = .remittanceRequested(remittance)
        }
    }

    /// In a third of the runs operators end some of the loops that would close.
    private static func drawEnds(_ scenario: inout Scenario<FallibleBank>, seed: UInt64) {
        // Drawn apart, so that the other runs are what they were.
        var draw = Chance(seed: seed &+ 0xE4D)
        guard draw.percent(33) else { return }
        let closings = scenario.requests.filter { $0.event == .closed && draw.percent(60) }
        scenario.requests.removeAll { request in
            request.event == .closed && closings.contains { $0.loop == request.loop }
        }
        scenario.ends = closings.map { ($0.loop, $0.after) }
    }

    /// In a third of the runs loops take others along when they end, but not the main one, on which much else depends.
    private static func drawChildren(_ scenario: inout Scenario<FallibleBank>, seed: UInt64) {
        // Drawn apart, so that the other runs are what they were.
        var draw = Chance(seed: seed &+ 0xC411D)
        guard draw.percent(33) else { return }
        let loops = scenario.loops + [branch]
        for number in 1...draw.number(1...6) {
            let (parent, child) = (draw.pick(loops), draw.pick(loops))
            guard child != .main else { continue }
            scenario.requests.append(
                .init(
                    loop: parent, key: "takes \(number)", event: .childTaken(child.name, ends: draw.percent(50)),
                    after: draw.milliseconds(0...2000)))
            func letsGo(_ key: String, after pause: Duration) -> Scenario<FallibleBank>.Request {
                .init(loop: parent, key: "\(key) \(number)", event: .childLetGo(child.name), after: pause)
            }
            if draw.percent(40) {
                scenario.requests.append(letsGo("lets go early", after: draw.milliseconds(300...3000)))
            }
            scenario.finalRequests.append(letsGo("lets go", after: .zero))
        }
    }

    /// What operators may do, so that the books stay right.
    private static func act(
        _ effect: Bank.Effect, _ chance: inout Chance
    ) -> (act: EffectAct, event: Bank.Event?)? {
        func complete(_ event: Bank.Event) -> (act: EffectAct, event: Bank.Event?)? {
            (try? JSONEncoder().encode(event)).map { (.complete(event: Array($0)), event) }
        }
        switch effect {
        case .book: return (.fail, nil)
        case .letter(let id): return chance.percent(50) ? (.fail, nil) : complete(.letterEnded(id: id, .unknown))
        case .statement(let request):
            return chance.percent(50) ? (.fail, nil) : complete(.statementFailed(id: request.id))
        case .audit(let number): return complete(.audited(number))
        case .archive(let number):
            return chance.pick([(.fail, nil), (.cancel, nil), complete(.archiveFailed(number))])
        case .watch, .interest: return (chance.percent(30) ? .cancel : .fire(due: nil), nil)
        case .tellAtEnd, .endAtEnd: return chance.percent(30) ? (.cancel, nil) : nil
        case .unwatch, .endInterest, .answer, .refuse, .remit, .ask, .close, .letGo: return nil
        }
    }

    /// In some runs the calendar is set back by an hour at the end, and interest is due some more times after that.
    private static func drawLateJump(_ scenario: inout Scenario<FallibleBank>, seed: UInt64) {
        // Drawn apart, so that the other runs are what they were.
        var draw = Chance(seed: seed &+ 0x5E7BACC)
        guard draw.percent(20), !scenario.finalRequests.isEmpty else { return }
        scenario.lateJump = .seconds(-3600)
        // Longer than two times with everything that may delay one.
        for place in scenario.finalRequests.indices { scenario.finalRequests[place].after = .seconds(12) }
    }

    /// In a fifth of the runs loops leave memory all the time, and half of these have many loops.
    private static func drawIdleness(_ scenario: inout Scenario<FallibleBank>, seed: UInt64, oversize: Bool) {
        // Drawn apart, so that the other runs are what they were.
        var draw = Chance(seed: seed &+ 0x1D1E)
        guard draw.percent(20) else { return }
        scenario.idleAfter = draw.milliseconds(1...40)
        guard draw.percent(50) else { return }
        openBranches(&scenario, &draw, oversize: oversize)
    }

    /// Adds many loops that send money to each other.
    static func openBranches(_ scenario: inout Scenario<FallibleBank>, _ draw: inout Chance, oversize: Bool = false) {
        let branches = (1...draw.number(2...6)).compactMap { LoopID("branch \($0)") }
        for loop in branches {
            scenario.loops.append(loop)
            let requests = Customers.requests(loop, &draw, oversize: oversize)
            scenario.requests += requests
            scenario.finalRequests += Customers.farewell(requests, of: loop)
        }
        scenario.requests += Customers.remittances(branches, &draw, named: "b")
        scenario.requests += Customers.closings(branches, &draw)
    }

    /// Whether several coordinators share the journal: in every fourth run.
    package static func isCluster(_ seed: UInt64) -> Bool { seed % 4 == 3 }

    private static func places(_ draw: inout Chance) -> [Scenario<FallibleBank>.Place] {
        (0..<draw.number(2...4)).map { place in
            let pools = place == 0 ? ["bank", "post"] : draw.percent(30) ? ["post", "bank"] : ["bank"]
            return Scenario<FallibleBank>.Place(pools: pools, capacity: draw.number(1...3))
        }
    }

    /// Mostly a tenth of what the product promises, so that more happens in a step.
    static func timing(_ draw: inout Chance) -> SessionTiming {
        guard draw.percent(80) else { return SessionTiming() }
        return SessionTiming(
            heartbeat: .milliseconds(100), suspectAfter: .milliseconds(300), deadAfter: .milliseconds(1000),
            reconnectGrace: .milliseconds(300), adoptionGrace: .milliseconds(500), silence: .milliseconds(500),
            resend: .milliseconds(200))
    }
}
