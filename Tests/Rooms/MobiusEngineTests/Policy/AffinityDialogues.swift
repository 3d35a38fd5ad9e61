import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Effects that stick to a worker.
@Suite struct AffinityDialogues {
    private func stage(workers: Int, credit: UInt64 = 100) -> Stage {
        var stage = Stage.begun([])
        for number in 1...workers { stage.play(.hello(.worker(number), credit: credit)) }
        return stage
    }

    /// Which peer gets an effect of each of these keys.
    private func homes(_ keys: Int, in stage: inout Stage, by words: String) -> [String: Peer] {
        let effects = (0..<keys).map { PlannedEffect.work("\(words) \($0)", .plain(), affinity: "key \($0)") }
        stage.update[words] = effects
        var homes: [String: Peer] = [:]
        for case .send(let peer, let envelope) in stage.play(.outside(1, key: words, words)) {
            guard case .effects(_, let orders) = envelope.message else { continue }
            for order in orders { homes[String(order.effect.words.dropFirst(words.count + 1))] = peer }
        }
        return homes
    }

    @Test func oneKeyOneWorker() {
        var stage = stage(workers: 4)
        let before = homes(40, in: &stage, by: "a")
        #expect(before.count == 40)
        #expect(homes(40, in: &stage, by: "b") == before)
        // They spread, even over workers whose names differ little.
        for number in 1...4 { #expect(before.values.count { $0 == Peer(UInt64(number)) } >= 4) }
    }

    @Test func onlyTheKeysOfTheWorkerThatLeftMove() {
        var stage = stage(workers: 4)
        let before = homes(40, in: &stage, by: "a")
        stage.play(.says(.bye, from: Peer(2), session: 2))
        let after = homes(40, in: &stage, by: "b")
        for (key, home) in before where home != Peer(2) { #expect(after[key] == home) }
        #expect(!after.values.contains(Peer(2)))
    }

    @Test func theyWaitForTheirWorkerAndHoldBackNobody() {
        var stage = stage(workers: 2, credit: 1)
        let first = stage.ask(.work("1", .plain(), affinity: "k"), by: "one")
        let home = first.compactMap { action -> Peer? in
            if case .send(let peer, let envelope) = action, case .effects = envelope.message { peer } else { nil }
        }
        #expect(stage.ask(.work("2", .plain(), affinity: "k"), .work("3", .plain()), by: "two").ordered == ["3"])
        let peer = home.first ?? .ann
        let end = WorkerMessage.events(creditTotal: 2, [AttemptID.attempt(0, of: 1).event()])
        let next = stage.settle(.says(end, from: peer, session: peer.token))
        #expect(next.orders(to: peer) == 1)
        #expect(next.ordered == ["2"])
    }

    @Test func theyMoveWhenTheirWorkerDrainsOrIsLost() {
        for loses in [false, true] {
            var stage = stage(workers: 1, credit: 1)
            stage.ask(.work("1", .plain(), affinity: "k"), by: "one")
            stage.ask(.work("2", .plain(), affinity: "k"), by: "two")
            stage.play(.hello(.bob, credit: 0))
            let held = [HeldAttempt(id: AttemptID.attempt(0, of: 1))]
            if loses {
                stage.wait(.seconds(11), alive: [.bob], session: 2)
            } else {
                stage.play(.says(.draining(held: held)))
            }
            #expect(stage.play(.says(.credit(total: 2), from: .bob, session: 2)).ordered.contains("2"))
        }
    }

    @Test func theyWaitWhileNobodyIsThere() {
        var stage = Stage.begun(.work("1", .plain(), affinity: "k"), .work("2", .plain(), affinity: "l"))
        #expect(stage.play(.hello(credit: 5)).ordered == ["1", "2"])
    }
}
