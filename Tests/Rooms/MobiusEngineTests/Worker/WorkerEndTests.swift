import MobiusEngine
import MobiusWire
import Testing

/// STALE, CANCEL and credit: how attempts end that nobody waits for, and what their slots become.
@Suite struct WorkerEndTests {
    private let a = WorkerStage.attempt(1)
    private let b = WorkerStage.attempt(2)

    @Test func aStaleAttemptIsCancelledAndForgotten() {
        var worker = WorkerStage.running(a)
        _ = worker.reports(a, "one")
        #expect(worker.hears(.stale([a])) == [.cancel(a)])
        #expect(worker.flushes() == [])
        _ = worker.reports(a, "two", final: true)
        #expect(worker.flushes() == [worker.said(.credit(total: 3))], "the handler's end frees its slot")
        #expect(worker.hears(.stale([a])) == [])
    }

    @Test func aStaleAttemptThatHasEndedIsOnlyForgotten() {
        var worker = WorkerStage.running(a)
        _ = worker.reports(a, "one", final: true)
        #expect(worker.hears(.stale([a])) == [])
        #expect(worker.flushes() == [worker.said(.credit(total: 3))], "its report is not sent")
    }

    @Test func staleNamesOneAttemptOnly() {
        var worker = WorkerStage.running(WorkerStage.attempt(1, 2))
        #expect(worker.hears(.stale([a])) == [])
    }

    @Test func aCancelledHandlerStillReports() {
        var worker = WorkerStage.running(a)
        #expect(worker.hears(.cancel([a, b])) == [.cancel(a)], "what it does not hold cannot be cancelled")
        _ = worker.gets(.failed(a, retryable: false, delay: 0, reason: "cancelled"))
        let failure = WorkerStage.failure(a, 1, reason: "cancelled")
        #expect(worker.flushes() == [worker.said(.failures(creditTotal: 3, [failure]))])
        #expect(worker.hears(.cancel([a])) == [], "it has ended")
    }

    @Test func reportsThatNobodyWaitsForAreIgnored() {
        var worker = WorkerStage.running(a)
        _ = worker.reports(b, "of an attempt that was never ordered", final: true)
        _ = worker.reports(WorkerStage.attempt(1, 2), "of another attempt", final: true)
        _ = worker.gets(.failed(b, retryable: true, delay: 0, reason: "unknown"))
        #expect(worker.flushes() == [])
        _ = worker.reports(a, nil, final: true)
        _ = worker.flushes()
        _ = worker.reports(a, "after its end")
        #expect(worker.flushes() == [])
    }

    @Test func creditIsWhatWasGrantedAndGrowsAsSlotsBecomeFree() {
        var worker = WorkerStage.joined(capacity: 3)
        _ = worker.hears(.effects([WorkerStage.order(a), WorkerStage.order(b)]))
        #expect(worker.waits(.seconds(1)) == [Self.heartbeat(of: worker, 3, [a, b])])
        #expect(worker.hears(.resync) == [worker.hello(creditTotal: 1, held: [a, b])], "two slots are taken")
        _ = worker.hears(WorkerStage.welcome())
        _ = worker.reports(a, nil, final: true)
        #expect(
            worker.flushes() == [worker.said(.events(creditTotal: 2, [WorkerStage.event(a, 1, nil, final: true)]))])
        _ = worker.hears(.stale([b]))
        _ = worker.reports(b, nil, final: true)
        #expect(worker.flushes() == [worker.said(.credit(total: 3))], "all are free again, of three granted")
    }

    @Test func aReportThatWaitsTakesNoSlot() {
        var worker = WorkerStage.running(a, capacity: 1)
        _ = worker.reports(a, "done", final: true)
        #expect(worker.gets(.connected) == [worker.hello(creditTotal: 1, held: [a], heard: [a: 0])])
    }

    @Test func creditDoesNotLeakOverReconnects() {
        var worker = WorkerStage.joined(capacity: 2)
        for round in 1...20 as ClosedRange<UInt64> {
            let attempts = [WorkerStage.attempt(2 * round), WorkerStage.attempt(2 * round + 1)]
            _ = worker.hears(.effects(attempts.map(WorkerStage.order)))
            _ = worker.reports(attempts[0], "done", final: true)
            #expect(worker.gets(.connected) == [worker.hello(creditTotal: 1, held: attempts, heard: [attempts[0]: 0])])
            worker.session += 1
            _ = worker.hears(WorkerStage.welcome())
            _ = worker.hears(.stale(attempts))
            _ = worker.reports(attempts[1], nil, final: true)
            #expect(worker.flushes() == [worker.said(.credit(total: 2))])
        }
    }

    @Test func aSlotThatBecomesFreeBetweenSessionsIsGrantedOnce() {
        var worker = WorkerStage.running(a, capacity: 1)
        #expect(worker.gets(.connected) == [worker.hello(creditTotal: 0, held: [a])])
        _ = worker.reports(a, nil, final: true)
        let actions = worker.waits(.seconds(1))
        #expect((500...1000).map { [worker.hello(creditTotal: 1, held: [a], heard: [a: $0])] }.contains(actions))
    }

    private static func heartbeat(
        of worker: borrowing WorkerStage, _ credit: UInt64, _ held: [AttemptID]
    ) -> WorkerAction {
        worker.said(.heartbeat(creditTotal: credit, held: held.map { HeldAttempt(id: $0) }))
    }
}
