import MobiusEngine
import MobiusWire
import Testing

/// Reports: numbered, kept until their ACK, sent again.
@Suite struct WorkerReportDialogues {
    private let first = AttemptID.attempt()
    private let second = AttemptID.attempt(1)

    @Test func reportsAreNumberedAndLeaveTogether() {
        var bench = WorkerBench.running(2)
        #expect(bench.handle(.report(first, "a", final: false)) == [])
        #expect(bench.handle(.report(second, "b")) == [])
        #expect(bench.handle(.report(first, "c")) == [])
        #expect(
            bench.handle(.flush) == [
                .events(credit: 4, first.event(1, "a", final: false), first.event(2, "c"), second.event(1, "b"))
            ])
        #expect(bench.handle(.flush) == [])
    }

    @Test func anEndWithoutEventJoinsTheLastReportThatWaits() {
        var bench = WorkerBench.running()
        #expect(
            bench.play(.report(first, "a", final: false), .report(first, nil)) == [
                .events(credit: 3, first.event(1, "a"))
            ])
    }

    @Test func anEndWithoutEventStandsAloneAfterWhatWasSent() {
        var bench = WorkerBench.running()
        bench.play(.report(first, "a", final: false))
        #expect(bench.play(.report(first, nil)) == [.events(credit: 3, first.event(2, nil))])
    }

    @Test func anEndMayBeTheOnlyReport() {
        var bench = WorkerBench.running()
        #expect(bench.play(.report(first, nil)) == [.events(credit: 3, first.event(1, nil))])
    }

    @Test func eventsPrecedeTheFailureThatEndsThem() {
        var bench = WorkerBench.running()
        #expect(
            bench.play(
                .report(first, "a", final: false), .failed(first, retryable: true, delay: 7, reason: "no")) == [
                    .events(credit: 3, first.event(1, "a", final: false)),
                    .says(.failures(creditTotal: 3, [first.failure(2, retryable: true, delay: 7)])),
                ])
    }

    @Test func afterTheEndAHandlerIsNotHeard() {
        var bench = WorkerBench.running()
        bench.play(.report(first, "done"))
        #expect(bench.play(.report(first, "more"), .failed(first, retryable: true, delay: 0, reason: "no")) == [])
        #expect(bench.play(.report(second, "never ordered")) == [])
    }

    @Test func whatIsNotAcknowledgedIsSentAgain() {
        var bench = WorkerBench.running(2, capacity: 3)
        let a = first.event(1, "a", final: false)
        bench.play(.report(first, "a", final: false), .report(second, "b"))
        bench.play(.says(.ack([second.report(1)])))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 4, held: first.heard(1000))])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 4, held: first.heard(2000)), .events(credit: 4, a)])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 4, held: first.heard(3000))])
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 4, held: first.heard(4000)), .events(credit: 4, a)])
        bench.play(.says(.ack([first.report(1)])))
        #expect(bench.wait(.seconds(0.9)) == [])
    }

    @Test func aStreamThatGoesOnDoesNotHoldUpWhatWasLost() {
        var bench = WorkerBench.running()
        bench.play(.report(first, "1", final: false))
        var resent = false
        for number in 2...4 {
            resent =
                resent
                || bench.wait(.seconds(1)).contains { action in
                    guard case .send(let envelope) = action, case .events(_, let reports) = envelope.message else {
                        return false
                    }
                    return reports.first?.id == first.report(1)
                }
            bench.play(.report(first, "\(number)", final: false), .says(.pulse(sent: 0)))
        }
        #expect(resent)
    }

    @Test func aNewSessionHearsEverythingAgainInOrder() {
        var bench = WorkerBench.running(2)
        bench.play(.report(second, "b"), .report(first, "a", final: false))
        bench.play(.connected)
        bench.play(.report(first, "c"))
        #expect(
            bench.play(.welcome(session: 2)) == [
                .note(.joined(epoch: 1, session: 2)),
                .events(
                    credit: 2, first.event(1, "a", final: false), first.event(2, "c"), second.event(1, "b"), session: 2),
            ])
        #expect(bench.handle(.flush) == [])
    }

    @Test func ackForgetsTheAttemptWithItsLastReport() {
        var bench = WorkerBench.running()
        bench.play(.report(first, "a", final: false))
        bench.play(.says(.ack([first.report(1)])))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 2, held: first.heard(1000))])
        bench.play(.report(first, "b"))
        bench.play(.says(.ack([first.report(1), first.report(7), .init(attempt: .attempt(0, 2), number: 2)])))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 3, held: first.heard(1000))])
        bench.play(.says(.ack([first.report(2)])))
        #expect(bench.wait(.seconds(1)) == [.heartbeat(credit: 3)])
    }

    @Test func anEventThatIsTooLargeBecomesAFailure() {
        var bench = WorkerBench.joined(maximumPayload: 4)
        bench.play(.says(.effects([first.order(), second.order()])))
        let reason = PayloadLimit.reason("the event", bytes: 5, of: 4)
        #expect(
            bench.play(.report(first, "12345")) == [
                .says(.failures(creditTotal: 3, [first.failure(retryable: false, reason)]))
            ])
        // A handler with more to say would keep its slot in vain.
        #expect(
            bench.play(.report(second, "12345", final: false)) == [
                .cancel(second), .says(.failures(creditTotal: 3, [second.failure(retryable: false, reason)])),
            ])
        #expect(bench.play(.report(second, "1", final: false)) == [])
        // Its slot is free when it has ended.
        #expect(bench.play(.report(second, "1")) == [.says(.credit(total: 4))])
    }

    @Test func messagesAreCutByBytes() {
        var bench = WorkerBench.running(2)
        let words = String(repeating: "x", count: 200_000)
        let sizes = bench.play(
            .report(first, words, final: false), .report(first, "small"), .report(second, words)
        ).compactMap { action -> Int? in
            guard case .send(let envelope) = action, case .events(_, let reports) = envelope.message else { return nil }
            return reports.count
        }
        #expect(sizes == [2, 1])
    }
}
