import MobiusEngine
import MobiusWire
import Testing

/// HELLO and its answers, signs of life, silence and reconnection.
@Suite struct WorkerSessionDialogues {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(1)

    @Test func aConnectionIsGreetedWithHello() {
        var bench = WorkerBench(capacity: 4)
        #expect(bench.play(.connected) == [bench.hello(credit: 4, journal: nil, epoch: 0)])
        #expect(bench.play(.welcome()) == [.note(.joined(epoch: 1, session: 1))])
    }

    @Test func helloIsSaidAgainUntilItIsAnswered() {
        var bench = WorkerBench()
        bench.play(.connected)
        let hello = bench.hello(credit: 2, journal: nil, epoch: 0)
        #expect(bench.wait(.seconds(1)) == [hello])
        #expect(bench.wait(.seconds(2)) == [hello])
        bench.play(.welcome())
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2)])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2)], "no more HELLO")
    }

    @Test func pausesBetweenHellosGrow() {
        let pauses = [7, 7, 8].map { seed in
            var bench = WorkerBench(seed: UInt64(seed), silence: .seconds(600), maximumPause: .seconds(8))
            bench.play(.connected)
            var last = bench.now
            return (0..<8).map { _ in
                while bench.machine.nextDeadline.map({ bench.wait($0 - bench.now).isEmpty }) == true {}
                defer { last = bench.now }
                return bench.now - last
            }
        }
        #expect(pauses[0] == pauses[1])
        #expect(pauses[0] != pauses[2])
        for (number, pause) in pauses[0].enumerated() {
            let longest = min(Duration.seconds(8), .seconds(1 << number))
            #expect(pause >= longest / 2 && pause <= longest, "pause \(number)")
        }
    }

    @Test func pausesBetweenHellosAreShortOnANewConnection() {
        var bench = WorkerBench()
        bench.play(.connected)
        bench.wait(.seconds(3))
        #expect(bench.play(.connected) == [bench.hello(credit: 2, journal: nil, epoch: 0)])
        #expect(bench.wait(.seconds(1)) == [bench.hello(credit: 2, journal: nil, epoch: 0)])
    }

    @Test func withoutAConnectionNoHelloIsSaid() {
        var bench = WorkerBench()
        bench.play(.connected)
        bench.wait(.seconds(5))  // silence: the connection is given up
        #expect(bench.wait(.seconds(4.9)) == [])
    }

    @Test func aHeartbeatListsWhatIsHeld() {
        var bench = WorkerBench.running(2, capacity: 5)
        bench.play(.report(second, "b"))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 6, held: first.silent, second.heard(1000))])
        bench.play(.says(.ack([second.report(1)])))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 6, held: first.silent)])
    }

    @Test func theCoordinatorSaysHowOftenToBeat() {
        var bench = WorkerBench()
        bench.play(.connected, .welcome(heartbeat: 250, silence: 600))
        #expect(bench.machine.nextDeadline == .seconds(0.25))
        let actions = bench.wait(.seconds(0.75))
        #expect(actions.prefix(3) == [.heartbeat(credit: 2), .heartbeat(credit: 2), .note(.silent)])
    }

    @Test func everySignOfLifeBreaksTheSilence() {
        var bench = WorkerBench.joined()
        for _ in 1...5 {
            bench.wait(.seconds(4))
            #expect(bench.play(.says(.pulse(sent: 0))) == [])
        }
    }

    @Test func silenceLeadsToANewConnection() {
        var bench = WorkerBench.running()
        bench.wait(.seconds(4.9))
        let actions = bench.wait(.seconds(0.1))
        guard actions.count == 2, actions[0] == .note(.silent), case .reconnect = actions[1] else {
            Issue.record("\(actions)")
            return
        }
        // It asks on the new connection for a new session, in which it holds what it held.
        #expect(bench.play(.connected) == [bench.hello(credit: 1, held: first.silent)])
        #expect(bench.play(.welcome(session: 2)) == [.note(.joined(epoch: 1, session: 2))])
    }

    @Test func pausesGrowAndAreTheSameForTheSameSeed() {
        let pauses = [7, 7, 8].map { seed in
            var bench = WorkerBench(seed: UInt64(seed))
            bench.play(.connected)
            return bench.wait(.seconds(60)).compactMap { action -> Duration? in
                if case .reconnect(let pause) = action { pause } else { nil }
            }
        }
        #expect(pauses[0] == pauses[1])
        #expect(pauses[0] != pauses[2])
        #expect(pauses[0].count == 9, "each silence is counted from the end of the pause before")
        for (number, pause) in pauses[0].enumerated() {
            let longest = min(Duration.seconds(2), .milliseconds(100 << number))
            #expect(pause >= longest / 2 && pause <= longest)
        }
    }

    @Test func pausesAreShortAgainAfterASession() {
        var bench = WorkerBench()
        bench.play(.connected)
        bench.wait(.seconds(60))
        bench.play(.welcome())
        let pause = bench.wait(.seconds(5)).compactMap { action -> Duration? in
            if case .reconnect(let pause) = action { pause } else { nil }
        }
        #expect(pause.count == 1 && pause[0] <= .milliseconds(100))
    }

    @Test func aLostSessionIsAnsweredWithOneHello() {
        var bench = WorkerBench.running()
        let resync = WorkerInput.says(.resync, session: 1)
        // Each message of the lost session brings a RESYNC, and each HELLO would bring a session.
        #expect(bench.play(resync, resync, resync) == [bench.hello(credit: 1, held: first.silent)])
        bench.play(.welcome(session: 2))
        #expect(bench.play(resync) == [], "what was said in the session before is sent again already")
        #expect(bench.play(.says(.resync, session: 2)) == [bench.hello(credit: 1, held: first.silent)])
    }

    @Test func otherSessionsAndEpochsAreNotHeard() {
        var bench = WorkerBench.running()
        bench.play(.report(first, "a", final: false))
        for (session, epoch) in [(2, 1), (1, 2), (0, 1)] as [(UInt64, UInt64)] {
            for message in [
                CoordinatorMessage.effects([second.order()]), .ack([first.report(1)]), .stale([first]),
                .cancel([first]),
                .drain(.leave), .drain(.wait),
            ] {
                #expect(bench.play(.says(message, session: session, epoch: epoch)) == [])
            }
        }
    }

    @Test func nothingIsHeardBeforeWelcome() {
        var bench = WorkerBench()
        bench.play(.connected)
        #expect(bench.play(.says(.effects([first.order()]))) == [])
    }

    @Test func anOlderEpochIsRefused() {
        var bench = WorkerBench()
        bench.play(.connected, .welcome(epoch: 5), .connected)
        let actions = bench.play(.welcome(session: 9, epoch: 4))
        #expect(actions.first == .note(.refusedEpoch(4, newest: 5)))
        guard actions.count == 2, case .reconnect = actions[1] else {
            Issue.record("\(actions)")
            return
        }
        #expect(bench.play(.connected) == [bench.hello(credit: 2, epoch: 5)])
    }

    @Test func aPauseThatIsLongerThanTheSilenceEnds() {
        var bench = WorkerBench(seed: 1, silence: .seconds(1), maximumPause: .seconds(4))
        bench.play(.connected, .welcome(epoch: 5, silence: 1000), .connected)
        var pauses: [Duration] = []
        // For half a minute only an old coordinator answers.
        while bench.now < .seconds(30) {
            let actions = bench.play(.welcome(session: 9, epoch: 4, silence: 1000))
            guard case .reconnect(let pause) = actions.last else {
                Issue.record("\(actions)")
                return
            }
            #expect(bench.wait(pause) == [], "it waits for its connection, and begins no other pause")
            bench.play(.connected)
            pauses.append(pause)
        }
        #expect(pauses.contains { $0 > .seconds(1) })
        #expect(bench.play(.welcome(session: 1, epoch: 6)).first == .note(.joined(epoch: 6, session: 1)))
    }

    @Test func aNewConnectionMayBeSilentForAsLongAsAnyOther() {
        var bench = WorkerBench()
        bench.wait(.seconds(4.9))
        bench.play(.connected)
        #expect(!bench.wait(.seconds(4.9)).contains { if case .reconnect = $0 { true } else { false } })
        #expect(bench.wait(.seconds(1.1)).contains { if case .reconnect = $0 { true } else { false } })
    }

    @Test func anotherJournalDropsAllThatIsHeld() {
        var bench = WorkerBench.running(2)
        bench.play(.report(second, "b"))
        bench.play(.connected)
        // Epochs compare anew, so a lower one is fine.
        #expect(
            bench.play(.welcome(session: 1, epoch: 1, journal: .other)) == [
                .cancel(first), .note(.otherJournal(dropped: 2)), .note(.joined(epoch: 1, session: 1)),
            ])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 1)])
        #expect(bench.play(.report(first, "late")) == [.says(.credit(total: 2))])
    }

    @Test func rejectionEndsTheWorker() {
        var bench = WorkerBench.running()
        #expect(bench.play(.says(.reject("no"), session: 0)) == [.exit(.rejected("no"))])
        #expect(bench.play(.connected, .tick, .welcome(), .report(first, "a")) == [])
    }

    @Test func bytesThatAreNoMessageAreNoted() {
        var bench = WorkerBench.joined()
        let error = WireError(.truncated, "3 of 20 bytes")
        #expect(bench.play(.malformed(error)) == [.note(.malformed(error))])
    }

    @Test func aStoppingCoordinatorIsAwaited() {
        var bench = WorkerBench.running()
        #expect(bench.play(.says(.drain(.wait))) == [.note(.coordinatorStopping)])
        #expect(bench.play(.report(first, "done")) == [])
        // HELLO is said once in the first second, at a moment left to chance.
        let actions = bench.wait(.seconds(1))
        #expect((500...1000).map { [bench.hello(credit: 2, held: first.heard($0))] }.contains(actions))
        #expect(bench.play(.connected) == [bench.hello(credit: 2, held: first.heard(1000))])
        #expect(
            bench.play(.welcome(session: 1, epoch: 2)) == [
                .note(.joined(epoch: 2, session: 1)),
                .says(.events(creditTotal: 2, [first.event()]), session: 1, epoch: 2),
            ])
    }

    @Test func onlyTheNewestHelloIsAnswered() {
        var bench = WorkerBench()
        bench.play(.connected)
        bench.wait(.seconds(1))
        #expect(bench.counter.hello == 2)
        // The first one's answer is late: what that HELLO said of credit no longer counts.
        #expect(bench.play(.welcome(session: 1, hello: 1)) == [])
        #expect(bench.play(.says(.effects(after: 0, [first.order()]))) == [])
        #expect(bench.wait(.seconds(2)) == [], "the newest one's answer is on its way")
        #expect(bench.play(.welcome(session: 2, hello: 2)) == [.note(.joined(epoch: 1, session: 2))])
        // It comes twice.
        #expect(bench.play(.welcome(session: 3, hello: 2)) == [])
        #expect(bench.play(.says(.effects(after: 0, [first.order()]), session: 2)) == [.run(first.order())])
    }

    @Test func whoWaitsForAnAnswerInVainAsksAgain() {
        var bench = WorkerBench(silence: .seconds(60))
        bench.play(.connected)
        bench.wait(.seconds(1))
        bench.play(.welcome(hello: 1))
        #expect(bench.wait(.seconds(59.9)) == [])
        #expect(bench.wait(.seconds(1)).contains(bench.hello(credit: 2, journal: nil, epoch: 0)))
        #expect(bench.counter.hello == 3)
    }
}
