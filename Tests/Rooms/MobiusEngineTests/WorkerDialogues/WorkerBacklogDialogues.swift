import MobiusEngine
import MobiusWire
import Testing

/// A handler that reports faster than its coordinator acknowledges: what leaves when, and what each ACK costs.
@Suite struct WorkerBacklogDialogues {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(1)

    /// A worker whose handler has reported so many events, none of which has left.
    private func streaming(_ count: Int, words: String = "x", handlers: UInt32 = 1) -> WorkerBench {
        var bench = WorkerBench.running(handlers)
        for _ in 0..<count { _ = bench.handle(.report(first, words, final: false)) }
        return bench
    }

    /// The numbers of the reports on the first attempt that these actions send.
    private func numbers(_ actions: [WorkerAction]) -> [UInt32] {
        actions.reports.filter { $0.id.attempt == first }.map(\.id.number)
    }

    @Test func aBacklogLeavesInSlicesWithoutWaiting() {
        var bench = streaming(600)
        #expect(numbers(bench.handle(.flush)) == Array(1...256))
        // The rest is due at once, and needs no further report.
        #expect(bench.machine.nextDeadline == bench.now)
        #expect(bench.handle(.tick) == [])
        #expect(numbers(bench.handle(.flush)) == Array(257...512))
        #expect(numbers(bench.play(.tick)) == Array(513...600))
        #expect(bench.machine.nextDeadline == bench.now + .seconds(1))
        #expect(bench.handle(.flush) == [])
    }

    @Test func anotherHandlerDoesNotWaitForALongBacklog() {
        var bench = streaming(100_000, handlers: 2)
        _ = bench.handle(.report(second, "done"))
        #expect(bench.handle(.flush).reports.contains { $0.id == second.report(1) })
    }

    @Test func largeEventsLeaveInSmallerSlices() {
        var bench = streaming(40, words: String(repeating: "x", count: 100_000))
        #expect(numbers(bench.handle(.flush)) == [1, 2, 3])
    }

    @Test func heartbeatsLeaveWhateverTheBacklogIs() {
        var bench = streaming(100_000)
        bench.now = bench.now + .seconds(1)
        guard case .send(let envelope)? = bench.handle(.tick).first, case .heartbeat = envelope.message else {
            Issue.record("no heartbeat")
            return
        }
        // And little is sent with each, also when all of it was sent and nothing is acknowledged.
        bench.play()
        while bench.machine.nextDeadline == bench.now { bench.play(.tick) }
        for _ in 0..<6 {
            bench.now = bench.now + .seconds(1)
            let actions = bench.play(.says(.pulse(sent: 0)), .tick)
            #expect(numbers(actions) == [] || numbers(actions) == Array(1...64))
        }
    }

    @Test func whatWasLostFollowsAsItsForerunnersAreAcknowledged() {
        var bench = streaming(200)
        bench.play()
        var got: Set<UInt32> = []
        bench.now = bench.now + .seconds(2)
        var actions = bench.play(.says(.pulse(sent: 0)), .tick)
        for _ in 0..<4 {
            let numbers = numbers(actions)
            got.formUnion(numbers)
            actions = bench.play(.says(.ack(numbers.map { first.report($0) })))
        }
        // At once, and not with the next heartbeats.
        #expect(got == Set(1...200))
        #expect(numbers(actions) == [])
    }

    @Test func acksOfALongBacklogCostTheSameEach() {
        // With a look at all that waits for each ACK this takes minutes.
        let count: UInt32 = 200_000
        var bench = streaming(Int(count))
        bench.play()
        while bench.machine.nextDeadline == bench.now { bench.play(.tick) }
        for number in 1...count { _ = bench.machine.handle(.says(.ack([first.report(number)])), at: bench.now) }
        #expect(bench.play(.report(first, nil)).reports == [first.event(count + 1, nil)])
        #expect(bench.play(.says(.ack([first.report(count + 1)]))) == [])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 3)])
    }

    @Test func acksInAnyOrderCount() {
        var bench = streaming(5)
        bench.play()
        #expect(
            bench.play(.says(.ack([3, 2, 5, 5, 9].map { first.report($0) }))) == [
                .acknowledged(first, events: 3, bytes: 3)
            ])
        #expect(numbers(bench.wait(.seconds(2))) == [1, 4])
        #expect(
            bench.play(.says(.ack([1, 4].map { first.report($0) }))) == [.acknowledged(first, events: 2, bytes: 2)])
        #expect(numbers(bench.wait(.seconds(4))) == [])
    }

    @Test func aHandlerThatGoesOnIsToldWhatIsAcknowledged() {
        var bench = WorkerBench.running(2)
        bench.play(
            .report(first, "four", final: false), .report(first, "x", final: false), .report(second, "y"))
        #expect(
            bench.play(.says(.ack([first.report(1), second.report(1), first.report(2), first.report(2)]))) == [
                .acknowledged(first, events: 2, bytes: 5)
            ])
    }

    @Test func aNewSessionBeginsWithTheOldestAndSendsAll() {
        var bench = streaming(400)
        bench.play()
        bench.play(.says(.ack((1...10).map { first.report($0) })))
        bench.play(.connected)
        #expect(numbers(bench.handle(.welcome(session: 2))) == Array(11...266))
        #expect(numbers(bench.play(.tick)) == Array(267...400))
    }

    @Test func anEndDoesNotJoinAReportThatIsSentAgain() {
        // The coordinator may have taken that one as it was.
        var bench = streaming(1)
        bench.play()
        bench.play(.connected)
        _ = bench.handle(.report(first, nil))
        #expect(
            bench.play(.welcome(session: 2)).reports == [first.event(1, "x", final: false), first.event(2, nil)])
    }

    @Test func effectsAreNotAskedForWhileTooManyEndsWait() {
        var bench = WorkerBench.joined(capacity: 100)
        var ordered: UInt32 = 0
        var credit: UInt64 = 100
        // The disk hangs: nothing is acknowledged.
        while UInt64(ordered) < credit {
            let ids = (ordered..<UInt32(credit)).map { AttemptID.attempt($0) }
            ordered = UInt32(credit)
            var actions = bench.play(.says(.effects(ids.map { $0.order() })))
            for id in ids { actions += bench.handle(.report(id, "x")) }
            actions += bench.handle(.flush)
            while bench.machine.nextDeadline == bench.now { actions += bench.play(.tick) }
            credit = max(credit, actions.credits.max() ?? 0)
            guard ordered < 20_000 else { break }
        }
        #expect(ordered < 8192 + 300)
        // And again as they are acknowledged, down to the last slot.
        let actions = bench.play(.says(.ack((0..<ordered).map { AttemptID.attempt($0).report(1) })))
        #expect(actions.credits == [UInt64(ordered) + 100])
    }
}

extension [WorkerAction] {
    fileprivate var reports: [EventReport] {
        flatMap { action -> [EventReport] in
            guard case .send(let envelope) = action, case .events(_, let reports) = envelope.message else { return [] }
            return reports
        }
    }

    fileprivate var credits: [UInt64] {
        compactMap { action in
            guard case .send(let envelope) = action else { return nil }
            switch envelope.message {
            case .credit(let total), .events(let total, _), .heartbeat(let total, _, _): return total
            default: return nil
            }
        }
    }
}
