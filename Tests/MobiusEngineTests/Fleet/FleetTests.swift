import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Whole fleets of the two machines under random faults: nothing may be lost, nothing done twice.
@Suite struct FleetTests {
    /// Batches, so that they run side by side; a failure names its seed.
    @Test(arguments: 0..<UInt64(12))
    func everyPromiseHoldsUnderFaults(batch: UInt64) {
        for seed in (batch * 25)..<((batch + 1) * 25) {
            let complaints = Self.run(seed: seed, troubles: [.retryAfterEvents, .hastyTimeouts])
            #expect(complaints.isEmpty, "seed \(seed): \(complaints.prefix(8).joined(separator: "; "))")
        }
    }

    @Test func equalSeedsGiveEqualRuns() {
        let worlds = (0..<2).map { _ in FleetWorld(seed: 4711, troubles: []) }
        for world in worlds {
            for _ in 0..<400 { world.step() }
        }
        #expect(worlds[0].journal.committed == worlds[1].journal.committed)
        #expect(worlds[0].now == worlds[1].now)
        #expect(worlds[0].coordinator == worlds[1].coordinator)
        #expect(worlds[0].workers.map(\.machine) == worlds[1].workers.map(\.machine))
    }

    private static func run(seed: UInt64, troubles: FleetTroubles) -> [String] {
        let world = FleetWorld(seed: seed, troubles: troubles)
        for _ in 0..<200 { world.step() }
        world.calm()
        let calmed = world.now
        while !isQuiet(world) {
            guard world.violations.isEmpty else { return world.violations }
            guard world.now - calmed < .seconds(60) else {
                return ["not quiet 60 s after the last fault: \(unfinished(world))"]
            }
            world.step()
        }
        settle(world)
        var complaints = world.violations + world.journal.complaints()
        for worker in world.workers where !worker.held.isEmpty || !worker.running.isEmpty {
            complaints.append("worker \(worker.slot) still holds \(worker.held.map(\.id))")
        }
        complaints += outsideComplaints(world)
        return complaints.isEmpty ? creditComplaints(world) : complaints
    }

    private static func isQuiet(_ world: FleetWorld) -> Bool {
        world.coordinator != nil && world.workers.allSatisfy { $0.machine != nil && $0.connection != nil }
            && world.confirmed.count == world.outside.count && world.journal.hasEnded
    }

    private static func unfinished(_ world: FleetWorld) -> String {
        let open = world.journal.asked.filter { world.journal.ends[$0] == nil }.sorted()
        let stages = world.coordinator?.statuses(of: nil, after: nil, limit: 100, at: world.now).effects.map {
            "\($0.id) \($0.phase.rawValue)"
        }
        return "open \(open), held \(world.workers.map { $0.held.map(\.id) }), stages \(stages ?? [])"
    }

    /// A silent worker has connected again, everybody has sent lists, and the last ACKs have arrived.
    private static func settle(_ world: FleetWorld) {
        let start = world.now
        while world.now - start < .milliseconds(1500) { world.step() }
    }

    private static func outsideComplaints(_ world: FleetWorld) -> [String] {
        world.outside.compactMap { key, event in
            guard event.bytes.first != FleetProgram.unreadable else { return nil }
            guard !world.journal.sources.contains(.outside(key)) else { return nil }
            return "\(key) was confirmed and is not in the journal"
        }
    }

    /// Asks for more than all workers can take at once: each gets exactly its capacity.
    private static func creditComplaints(_ world: FleetWorld) -> [String] {
        world.frozen = true
        let total = world.workers.reduce(0) { $0 + $1.capacity }
        world.budget = .max
        let event = FleetProgram.event(Array(repeating: 2, count: total + 3))
        world.outside["key 9"] = event
        world.sendOutside("key 9")
        settle(world)
        return world.violations
            + world.workers.filter { $0.running.count != $0.capacity }.map {
                "worker \($0.slot) got \($0.running.count) of \($0.capacity) effects"
            }
    }
}
