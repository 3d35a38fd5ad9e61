import Foundation
import MobiusEngine
import MobiusJournal
import MobiusWire

/// What one frame of the largest size costs the coordinator, from its bytes to the bytes of the answers.
enum WorstFrame {
    private static let maximumPayload = 4 << 20
    private static let journal = JournalID(high: 1, low: 1)
    private static let peer = Peer(1)

    /// Milliseconds of the slowest, which are the fastest of some runs each; says all of them on standard error.
    static func time() -> Double {
        var slowest = 0.0
        for (name, message) in frames {
            let fastest = (0..<5).map { _ in time(of: message) }.min() ?? 0
            FileHandle.standardError.write(Data("\(name): \(fastest) ms\n".utf8))
            slowest = max(slowest, fastest)
        }
        return slowest
    }

    private static func time(of message: WorkerMessage) -> Double {
        let now = Moment(nanoseconds: 1)
        var machine = CoordinatorMachine(CoordinatorConfiguration(journal: journal, epoch: 2))
        let effect = PlannedEffect(
            effect: Payload(kind: PayloadKind(type: "Effect"), bytes: [1]), plan: EffectPlan(destination: .pool("p")))
        _ = machine.handle(.begin(.main, effects: Array(repeating: effect, count: 1000)), at: now)
        for case .append(let ticket, _) in machine.handle(.flush, at: now) {
            _ = machine.handle(.committed(ticket), at: now)
        }
        let joining = Envelope(epoch: 0, session: 0, message: WorkerMessage.hello(hello(pools: ["p"], credit: 1000)))
        _ = machine.handle(.received(joining, from: peer), at: now)
        _ = machine.handle(.flush, at: now)
        var frame: [UInt8] = []
        Envelope(epoch: 2, session: 1, message: message).encode(into: &frame)
        precondition(frame.count <= maximumPayload + 65_536, "\(frame.count) bytes are no legal frame")
        let begin = cpuTime()
        guard let envelope = try? Envelope<WorkerMessage>(decoding: frame.span.bytes) else {
            preconditionFailure("a frame that cannot be read costs less")
        }
        let actions = machine.handle(.received(envelope, from: peer), at: now) + machine.handle(.flush, at: now)
        var bytes: [UInt8] = []
        for case .send(_, let envelope) in actions {
            bytes.removeAll(keepingCapacity: true)
            envelope.encode(into: &bytes)
        }
        return cpuTime() - begin
    }

    /// Milliseconds of this thread, which other programs do not lengthen as they do those of a clock.
    private static func cpuTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    private static var frames: [(String, WorkerMessage)] {
        let manyAttempts = (0..<124_000 as Range<UInt32>).map { held(sequence: 0, index: 5, epoch: 9, number: $0) }
        let manyEffects = (0..<124_000 as Range<UInt32>).map {
            held(sequence: UInt64($0) &* 0xFFFF_FFFF, index: $0, epoch: 1, number: 1)
        }
        let pools = (0..<Hello.maximumPools).map { number in
            String(repeating: "p", count: 250) + String(10_000 + number)
        }
        let orders = OrderCount(sent: .max, received: 0)
        return [
            ("HELLO of 256 pools", .hello(hello(pools: pools, credit: .max))),
            ("HELLO of attempts at one effect", .hello(hello(pools: pools, credit: 0, held: manyAttempts))),
            ("HELLO of effects with one sum", .hello(hello(pools: pools, credit: 0, held: manyEffects))),
            ("HEARTBEAT of attempts", .heartbeat(creditTotal: 1, orders: orders, held: manyAttempts)),
            ("HEARTBEAT of effects", .heartbeat(creditTotal: 1, orders: orders, held: manyEffects)),
            ("DRAINING of attempts", .draining(held: manyAttempts)),
            (
                "EVENT of ends",
                .events(
                    creditTotal: 1,
                    manyEffects.prefix(115_000).map {
                        EventReport(id: ReportID(attempt: $0.id, number: 1), final: true, event: nil)
                    })
            ),
            (
                "FAIL",
                .failures(
                    creditTotal: 1,
                    manyAttempts.prefix(100_000).map {
                        FailureReport(id: ReportID(attempt: $0.id, number: 1), retryable: true, reason: "")
                    })
            ),
        ]
    }

    private static func held(sequence: UInt64, index: UInt32, epoch: UInt64, number: UInt32) -> HeldAttempt {
        HeldAttempt(
            id: AttemptID(
                effect: EffectID(loop: .main, sequence: sequence, index: index),
                attempt: Attempt(epoch: epoch, number: number)))
    }

    private static func hello(pools: [String], credit: UInt64, held: [HeldAttempt] = []) -> Hello {
        Hello(
            incarnation: Incarnation(high: 0, low: 1), journal: journal, pools: pools, build: "b", contentTypes: [],
            creditTotal: credit, held: held)
    }
}
