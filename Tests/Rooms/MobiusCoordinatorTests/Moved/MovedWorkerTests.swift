import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusTransport
import MobiusWire
import MobiusWorker
import TestTraits
import Testing

/// A real worker, and routers in place of coordinators that share a journal.
@Suite(.patient)
struct MovedWorkerTests {
    /// What an owner was told.
    enum Told: Equatable, Sendable {
        case hello(held: [AttemptID], epoch: UInt64)
        case event(ReportID)
        case other
    }

    static let order = EffectOrder(
        id: AttemptID(
            effect: EffectID(loop: .main, sequence: 1, index: 0), attempt: Attempt(epoch: 1, number: 1)),
        effect: Payload(
            kind: PayloadKind(type: String(reflecting: Drill.Effect.self)), bytes: Array(#"{"event":{"_0":"e"}}"#.utf8))
    )

    /// An owner that welcomes workers, orders an effect if it has one, and acknowledges reports.
    private func owner(
        epoch: UInt64, orders: [EffectOrder] = [], told: Journey<Told>
    ) async throws -> ScriptedRouter {
        try await ScriptedRouter { frame in
            guard let envelope = try? Envelope<WorkerMessage>(decoding: frame.span.bytes) else { return [] }
            func says(_ message: CoordinatorMessage) -> [UInt8] {
                frame.answer(message, epoch: epoch, session: epoch)
            }
            switch envelope.message {
            case .hello(let hello):
                told.add(.hello(held: hello.held.map(\.id), epoch: envelope.epoch))
                let welcome = Welcome(
                    hello: hello.number, version: 1, journal: JournalID(high: 1, low: 2), heartbeat: 200,
                    silence: 60_000,
                    maximumPayload: 1 << 20)
                return [says(.welcome(welcome))] + (orders.isEmpty ? [] : [says(.effects(after: 0, orders))])
            case .events(_, let reports):
                for report in reports { told.add(.event(report.id)) }
                return [says(.ack(reports.map(\.id)))]
            default: return []
            }
        }
    }

    @Test func aHeldEffectContinuesAndIsReportedToTheNextOwnerOnce() async throws {
        let place = Owner()
        let doors = [
            try await ScriptedRouter.silent(), try await ScriptedRouter.workersDoor(to: place),
            try await ScriptedRouter.workersDoor(to: place),
        ]
        let (first, second) = (Journey<Told>(), Journey<Told>())
        let firstOwner = try await owner(epoch: 1, orders: [Self.order], told: first)
        place.current = firstOwner.endpoint
        let gate = Journey<String>()
        let worker = ContextWorker(doors.map(\.endpoint).joined(separator: ",")) { router, steps in
            router.routeCase(Drill.Effect.event).toEvent { words async in
                steps.add("begun \(words)")
                try? await gate.wait(for: "the test") { !$0.isEmpty }
                return .answered(words)
            }
        }
        try await worker.steps.wait { $0 == ["begun e"] }
        // The owner goes away, and for a while there is none.
        place.current = nil
        await firstOwner.stop()
        let secondOwner = try await owner(epoch: 2, told: second)
        place.current = secondOwner.endpoint
        try await second.wait { !$0.isEmpty }
        #expect(second.elements.first == .hello(held: [Self.order.id], epoch: 1))
        gate.add("go on")
        try await second.wait { $0.contains(.event(ReportID(attempt: Self.order.id, number: 1))) }
        try await worker.leave()
        #expect(
            second.elements == [
                .hello(held: [Self.order.id], epoch: 1), .event(ReportID(attempt: Self.order.id, number: 1)),
            ])
        #expect(first.elements == [.hello(held: [], epoch: 0)])
        #expect(worker.steps.elements == ["begun e"], "the effect runs once")
        await secondOwner.stop()
    }

    @Test func aReportThatWasNotAcknowledgedGoesToTheNextOwner() async throws {
        let place = Owner()
        let door = try await ScriptedRouter.workersDoor(to: place)
        let told = Journey<Told>()
        let forgetful = try await ScriptedRouter { frame in
            guard let envelope = try? Envelope<WorkerMessage>(decoding: frame.span.bytes) else { return [] }
            switch envelope.message {
            case .hello(let hello):
                let welcome = Welcome(
                    hello: hello.number, version: 1, journal: JournalID(high: 1, low: 2), heartbeat: 200,
                    silence: 60_000,
                    maximumPayload: 1 << 20)
                return [
                    frame.answer(.welcome(welcome), epoch: 1, session: 1),
                    frame.answer(.effects(after: 0, [Self.order]), epoch: 1, session: 1),
                ]
            case .events: told.add(.other)
            default: break
            }
            return []
        }
        place.current = forgetful.endpoint
        let worker = ContextWorker(door.endpoint) { router, steps in
            router.routeCase(Drill.Effect.event).toEvent { words in
                steps.add("done")
                return .answered(words)
            }
        }
        try await told.wait { $0 == [.other] || $0.count > 1 }
        let second = Journey<Told>()
        let next = try await owner(epoch: 2, told: second)
        place.current = next.endpoint
        await forgetful.stop()
        let report = Told.event(ReportID(attempt: Self.order.id, number: 1))
        try await second.wait { $0.contains(report) }
        try await worker.leave()
        #expect(second.elements == [.hello(held: [Self.order.id], epoch: 1), report])
        #expect(worker.steps.elements == ["done"])
        await next.stop()
    }

    @Test func anOwnerThatIsGoneAndOneOfAnOldEpochAreLeft() async throws {
        let gone = try await ScriptedRouter.silent()
        await gone.stop()
        let place = Owner()
        let hellos = Journey<UInt32>()
        let door = try await ScriptedRouter.workersDoor(to: place, hellos: hellos)
        place.current = gone.endpoint
        let worker = ContextWorker(door.endpoint) { router, _ in
            router.routeCase(Drill.Effect.event).toEvent { .answered($0) }
        }
        try await hellos.wait(for: "three visits of the front door") { $0.count >= 3 }
        let (newest, oldest) = (Journey<Told>(), Journey<Told>())
        let second = try await owner(epoch: 2, told: newest)
        place.current = second.endpoint
        try await newest.wait { !$0.isEmpty }
        // One that was replaced, and does not know it.
        let first = try await owner(epoch: 1, told: oldest)
        place.current = first.endpoint
        await second.stop()
        try await oldest.wait(for: "two refusals") { $0.count >= 2 }
        let third = try await owner(epoch: 3, told: newest)
        place.current = third.endpoint
        try await newest.wait { $0.count == 2 }
        try await worker.leave()
        await first.stop()
        await third.stop()
    }

    @Test func doorsThatNameEachOtherAreNotVisitedInATightLoop() async throws {
        let (one, other) = (Owner(), Owner())
        let hellos = Journey<UInt32>()
        let doors = [
            try await ScriptedRouter.workersDoor(to: one, hellos: hellos),
            try await ScriptedRouter.workersDoor(to: other, hellos: hellos),
        ]
        one.current = doors[1].endpoint
        other.current = doors[0].endpoint
        let begin = ContinuousClock.now
        let worker = ContextWorker(doors.map(\.endpoint).joined(separator: ", ")) { router, _ in
            router.routeCase(Drill.Effect.event).toEvent { .answered($0) }
        }
        try await hellos.wait { $0.count >= 20 }
        // Of four visits one follows at once, each other after 100 ms at least.
        #expect(ContinuousClock.now - begin > .milliseconds(1000))
        try await worker.leave()
    }

    @Test func aListWithAnImpossibleEndpointIsRefusedAtOnce() async throws {
        let worker = ContextWorker("tcp://127.0.0.1:5701,tcp://127.0.0.1:0") { router, _ in
            router.routeCase(Drill.Effect.event).toEvent { .answered($0) }
        }
        await #expect(throws: WorkerError.self) { try await worker.end() }
    }
}
