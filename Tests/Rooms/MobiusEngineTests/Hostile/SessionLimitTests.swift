import MobiusEngine
import MobiusWire
import Testing

/// How many sessions there may be: not as many as a peer likes.
struct SessionLimitTests {
    @Test func aConnectionHasOneSession() {
        var stage = Stage.begun(.work())
        stage.play(.hello(.ann, credit: 1))
        let actions = stage.play(.hello(.bob, from: .ann, credit: 1))
        #expect(actions.contains(.note(.lost(.ann, effects: 1))))
        #expect(stage.machine.workerCount == 1)
        let isHere = stage.machine.isHere(.ann)
        #expect(!isHere)
        #expect(actions.orders(to: .ann) == 1, "its effect goes on where it is said to be held")
        #expect(stage.machine.audit().isEmpty)
    }

    @Test func aWorkerSaysHelloOverItsConnectionAgainAndAgain() {
        var stage = Stage.begun()
        for _ in 1...3 {
            let actions = stage.play(.hello(.ann, credit: 1))
            #expect(actions.contains(.joined()))
            #expect(stage.machine.workerCount == 1)
        }
    }

    @Test func beyondAllWorkersThatThereMayBeOneIsRejected() {
        var machine = CoordinatorMachine(CoordinatorConfiguration(journal: .ours, epoch: 1))
        let limit = 16_384
        // In many pools: one knows all its workers.
        for number in 1...limit {
            _ = machine.handle(.hello(.worker(number), pools: ["pool \(number % 256)"]), at: .start)
        }
        #expect(machine.workerCount == limit)
        let reason = "there are 16384 workers already"
        let one = Peer(UInt64(limit + 1))
        #expect(
            machine.handle(.hello(.worker(limit + 1)), at: .start) == [
                .says(.reject(reason), to: one, session: 0), .note(.refused(one, reason: reason)),
            ])
        // Those that are here may say HELLO again.
        #expect(machine.handle(.hello(.worker(7)), at: .start).contains(.joined(.worker(7))))
        #expect(machine.workerCount == limit)
    }
}
