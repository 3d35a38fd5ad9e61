import MobiusEngine
import MobiusWire
import Testing

/// What metrics are made of is what operators see.
struct PoolStatusTests {
    @Test func aLookAtThePoolsOnlySeesWhatTheStatusSees() throws {
        let journal = JournalID(high: 1, low: 2)
        var machine = CoordinatorMachine(CoordinatorConfiguration(journal: journal, epoch: 1))
        var now = Moment(nanoseconds: 0)
        _ = machine.handle(.wallClock(WallTime(milliseconds: 1_000_000)), at: now)
        let pools: [EffectPlan.Destination] = [.pool("a"), .pool("b"), .local, .pool("a"), .pool("c"), .pool("c")]
        let effects = (0..<600).map { number in
            PlannedEffect(
                effect: Payload(kind: PayloadKind(type: "Effect"), bytes: []),
                plan: EffectPlan(destination: pools[number % pools.count]))
        }
        _ = machine.handle(.begin(.main, effects: effects), at: now)
        for case .append(let ticket, _) in machine.handle(.flush, at: now) {
            _ = machine.handle(.committed(ticket), at: now)
        }
        _ = machine.handle(.hold(try #require(LoopID("held"))), at: now)
        now = now + .seconds(3)

        var status = FleetStatus(
            program: "p", build: "b", journal: journal, epoch: 1, started: WallTime(milliseconds: 0), maximumPayload: 1)
        machine.fill(&status, at: now)
        let seen = machine.poolStatuses(at: now)
        #expect(seen == status.pools)
        #expect(seen.map(\.pool) == ["a", "b", "c"])
        #expect(seen.map(\.waiting) == [200, 100, 200])
        #expect(seen.allSatisfy { $0.oldest == 3000 })
        #expect(machine.loopCounts == (all: 2, held: 1))
    }
}
