import BankSimulation
import MobiusEngine
import MobiusJournal
import TestTraits
import Testing

/// The shares of a cluster's limit in a world of chance.
@Suite(.ownThread) struct LimitWorldTests {
    @Test func `never more than the limit in all, whatever is lost, late or taken over`() {
        for seed in 0..<200 as Range<UInt64> {
            var world = LimitWorld(seed: seed)
            #expect(world.run(.seconds(10)) == [], "seed \(seed)")
        }
    }

    @Test func `shards that all want more get equal shares, and each a turn where there is less than one for each`() {
        for seed in 0..<12 as Range<UInt64> {
            var world = LimitWorld(seed: seed)
            world.isBusy = false
            #expect(world.run(.seconds(10)) == [], "seed \(seed)")
            world.isFaulty = false
            #expect(world.run(.seconds(20)) == [], "seed \(seed)")
            let before = world.begun
            #expect(world.run(.seconds(100)) == [], "seed \(seed)")
            #expect(zip(world.begun, before).allSatisfy { $0 > $1 }, "seed \(seed): \(before), then \(world.begun)")
            let totals = [(LimitResource.concurrency, world.limit.concurrency), (.rate, world.limit.rate?.count)]
            for (resource, total) in totals {
                let units = world.units(resource)
                guard let total, total >= units.count else { continue }
                #expect(units.reduce(0, +) == total, "seed \(seed): \(units)")
                #expect((units.max() ?? 0) - (units.min() ?? 0) <= 1, "seed \(seed): \(units)")
            }
        }
    }
}
