import MobiusEngine
import Testing

/// Machines with all kinds of policies in worlds of chance: what must hold, holds after each step.
@Suite struct PolicyWorldTests {
    @Test(arguments: 1...30) func nothingIsStuckOrCountedTwice(seed: UInt64) {
        var world = PolicyWorld(seed: seed, restarts: false)
        for step in 0..<300 where world.faults.isEmpty {
            world.step()
            if !world.faults.isEmpty { Issue.record("seed \(seed), step \(step): \(world.faults.prefix(3))") }
        }
        #expect(world.events > 10)
    }

    @Test(arguments: 1...30) func restartsForgetNothing(seed: UInt64) {
        var world = PolicyWorld(seed: seed &+ 1000, restarts: true)
        for step in 0..<300 where world.faults.isEmpty {
            world.step()
            if !world.faults.isEmpty { Issue.record("seed \(seed), step \(step): \(world.faults.prefix(3))") }
        }
        #expect(world.events > 10)
    }
}
