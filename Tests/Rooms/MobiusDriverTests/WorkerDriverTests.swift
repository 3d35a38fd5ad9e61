import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusWire
import Testing

private let one = DriverStage.attempt(1)
private let two = DriverStage.attempt(2)

@Suite("A worker's driver")
struct WorkerDriverTests {
    @Test("connects, says HELLO once it is connected, and joins")
    func joins() {
        let stage = DriverStage()
        #expect(stage.does { driver, _ in driver.begin() } == [.connects])
        #expect(stage.does { $0.connected(at: $1) } == [.sends("hello")])
        stage.joins()
        #expect(stage.driver.isAtRest)
        #expect(stage.driver.exit == nil)
    }

    @Test("has the handlers of one message begin together, and sends their reports with the flush")
    func runsAndReports() {
        let stage = DriverStage.joined()
        #expect(stage.receives(stage.effects(one, two)) == [.runs([one, two])])
        #expect(stage.reports(one, final: true) == [.forgets(one)])
        #expect(stage.reports(two, final: false).isEmpty)
        #expect(stage.driver.handled == 1)
        #expect(stage.does { $0.flush(at: $1) } == [.sends("events")])
        guard case .events(let credit, let reports) = stage.ports.messages.last else {
            Issue.record("no EVENTS were sent")
            return
        }
        #expect(credit == 5)
        #expect(reports.map(\.id) == [ReportID(attempt: one, number: 1), ReportID(attempt: two, number: 1)])
        #expect(reports.map(\.final) == [true, false])
    }

    @Test("tells a handler that goes on what was acknowledged, so that it may send more")
    func acknowledges() {
        let stage = DriverStage.joined()
        _ = stage.receives(stage.effects(one))
        _ = stage.reports(one, final: false)
        _ = stage.does { $0.flush(at: $1) }
        let acknowledged = stage.receives(.ack([ReportID(attempt: one, number: 1)]))
        #expect(acknowledged == [.acknowledges(one, events: 1, bytes: 2)])
    }

    @Test("performs one action at a time for an owner that wants that; the start of each handler is one")
    func performsOneByOne() {
        let stage = DriverStage.joined(isStepwise: true)
        stage.takes(stage.effects(one, two))
        #expect(stage.steps.isEmpty && !stage.driver.isIdle)
        stage.driver.step(at: stage.now)
        #expect(stage.steps == [.runs([one])] && !stage.driver.isIdle)
        stage.driver.step(at: stage.now)
        #expect(stage.steps == [.runs([two])] && stage.driver.isIdle)
        stage.driver.step(at: stage.now)
        #expect(stage.steps.isEmpty)

        stage.takes(.cancel([one, two]))
        stage.driver.step(at: stage.now)
        #expect(stage.steps == [.cancels(one)])
        stage.driver.step(at: stage.now)
        #expect(stage.steps == [.cancels(two)])
    }

    @Test("notes bytes that are no message, and goes on")
    func notesNonsense() {
        let stage = DriverStage.joined()
        let nonsense: [UInt8] = [9, 9, 9]
        let steps = stage.does { $0.receive(nonsense.span.bytes, at: $1) }
        guard case .notes(.malformed) = steps.first else {
            Issue.record("nothing was noted: \(steps)")
            return
        }
        let frames = WireError(.trailingBytes, "2 frames instead of one")
        #expect(stage.does { $0.receive(frames, at: $1) } == [.notes(.malformed(frames))])
        #expect(stage.receives(stage.effects(one)) == [.runs([one])])
    }

    @Test("leaves a coordinator that is silent, and connects again after a pause and not before")
    func connectsAgain() throws {
        let stage = DriverStage.joined()
        _ = stage.waits(.milliseconds(4900))
        // Heartbeats come first; the driver notices the silence at one of its own.
        while !stage.ports.steps.contains(.disconnects) {
            stage.now = try #require(stage.driver.nextDeadline)
            stage.driver.tick(at: stage.now)
        }
        #expect(stage.steps.suffix(2) == [.notes(.silent), .disconnects])
        let next = try #require(stage.driver.nextDeadline)
        #expect(next > stage.now && next <= stage.now + .milliseconds(100))
        #expect(!stage.driver.isAtRest)
        stage.now = next + .nanoseconds(-1)
        #expect(stage.does { $0.tick(at: $1) }.isEmpty)
        stage.now = next
        #expect(stage.does { $0.tick(at: $1) } == [.connects])
        #expect(stage.does { $0.connected(at: $1) } == [.sends("hello")])
    }

    @Test("goes to the endpoint that MOVED names, and back to the front door when nothing answers there")
    func moves() throws {
        let stage = DriverStage()
        _ = stage.does { driver, _ in driver.begin() }
        _ = stage.does { $0.connected(at: $1) }
        #expect(stage.receives(.moved(Moved(endpoint: "tcp://10.0.0.2:5711"))) == [.disconnects])
        #expect(stage.driver.isMoved)
        #expect(stage.does { $0.tick(at: $1) } == [.connects])
        #expect(stage.ports.endpoints == [nil, "tcp://10.0.0.2:5711"])
        #expect(stage.does { $0.disconnected(at: $1) } == [.disconnects])
        stage.now = try #require(stage.driver.nextDeadline)
        #expect(stage.does { $0.tick(at: $1) } == [.connects])
        #expect(stage.ports.endpoints.last == .some(nil))
        #expect(!stage.driver.isMoved)
    }

    @Test("reports a failure with its reason, and counts it among those that failed")
    func fails() {
        let stage = DriverStage.joined()
        _ = stage.receives(stage.effects(one))
        let failure = HandlerFailure("the host is down", retryable: true, delay: 5)
        #expect(stage.does { $0.handle(.failed(one, failure), at: $1) } == [.forgets(one)])
        #expect(stage.ports.failures == [failure])
        #expect(stage.driver.handled == 0)
        #expect(stage.does { $0.flush(at: $1) } == [.sends("failures")])
        let report = FailureReport(
            id: ReportID(attempt: one, number: 1), retryable: true, delay: 5, reason: "the host is down")
        #expect(stage.ports.messages.last == .failures(creditTotal: 5, [report]))
    }

    @Test("sends with each heartbeat how long ago handlers showed progress")
    func sendsProgress() {
        let stage = DriverStage.joined()
        _ = stage.receives(stage.effects(one))
        stage.ports.progress = [one: stage.now + .milliseconds(400)]
        _ = stage.waits(.milliseconds(1000))
        guard case .heartbeat(_, _, let held) = stage.ports.messages.last else {
            Issue.record("no HEARTBEAT was sent")
            return
        }
        #expect(held == [HeldAttempt(id: one, progressAge: 600)])
    }

    @Test("leaves once it holds nothing, says BYE and takes nothing more")
    func drains() {
        let stage = DriverStage.joined()
        _ = stage.receives(stage.effects(one))
        let deadline = stage.now + .seconds(30)
        let steps = stage.does { $0.drain(by: deadline, at: $1) }
        #expect(steps == [.notes(.draining(held: 1)), .sends("draining")])
        _ = stage.reports(one, final: true)
        _ = stage.does { $0.flush(at: $1) }
        #expect(stage.driver.exit == nil)
        _ = stage.receives(.ack([ReportID(attempt: one, number: 1)]))
        #expect(stage.does { $0.flush(at: $1) } == [.sends("bye")])
        #expect(stage.driver.exit == .drained)
        #expect(stage.driver.nextDeadline == nil)
        #expect(stage.receives(.pulse(sent: 1)).isEmpty)
    }

    @Test("ends when the coordinator does not admit it")
    func isRejected() {
        let stage = DriverStage()
        _ = stage.does { $0.connected(at: $1) }
        #expect(stage.receives(.reject("no pool")).isEmpty)
        #expect(stage.driver.exit == .rejected("no pool"))
    }

    @Test("puts the trace context of a handler's span into its events, where handlers are traced")
    func traces() {
        let stage = DriverStage.joined()
        stage.ports.isTracing = true
        let welcome = Welcome(
            version: 1, journal: DriverStage.journal, heartbeat: 1000, silence: 5000, maximumPayload: 1000,
            takesTraces: true)
        _ = stage.does { $0.connected(at: $1) }
        _ = stage.receives(.welcome(welcome))
        _ = stage.receives(stage.effects(one))
        _ = stage.reports(one, final: true)
        _ = stage.does { $0.flush(at: $1) }
        guard case .events(_, let reports) = stage.ports.messages.last else {
            Issue.record("no EVENTS were sent")
            return
        }
        #expect(reports.map(\.traceparent) == ["00-1"])
    }
}
