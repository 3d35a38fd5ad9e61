import MobiusEngine
import MobiusJournal
import MobiusWire

/// A coordinator machine that is told whatever peers send, with a world that answers it and asks for status and metrics.
///
/// The fuzzer uses it, too: it needs nothing but the modules that it drives.
struct CoordinatorDrive: ~Copyable {
    static let journal = JournalID(high: 1, low: 1)

    private(set) var machine: CoordinatorMachine
    private(set) var now = Moment(nanoseconds: 1)
    /// The newest session of each peer.
    private(set) var sessions: [Peer: UInt64] = [:]
    /// What the machine was found to have wrong.
    private(set) var faults: [String] = []
    private var waiting: [Ticket] = []
    private var applied = 0

    /// A coordinator in its second epoch: one loop begins, another one is recovered.
    init() {
        machine = CoordinatorMachine(
            CoordinatorConfiguration(journal: Self.journal, epoch: 2, maximumPayload: 4096, batchBytes: 512))
        play(.wallClock(WallTime(milliseconds: 1_700_000_000_000)))
        play(.begin(.main, effects: Self.plans.map(Self.effect)))
        let other = LoopID("other") ?? .main
        let pending = Self.plans.enumerated().map { index, plan in
            var effect = PendingEffect(
                id: EffectID(loop: other, sequence: 0, index: UInt32(index)), effect: Self.effect(plan).effect,
                reported: nil, asked: WallTime(milliseconds: 1_600_000_000_000))
            if plan.policy.delivery == .atMostOnce { effect.started = Attempt(epoch: 1, number: 1) }
            return (effect, plan)
        }
        play(.recover(ResumedLoop(loop: other, lastSequence: 0, pending: pending)))
    }

    /// One of each kind of route.
    private static let plans: [EffectPlan] = [
        EffectPolicy(),
        EffectPolicy(delivery: .atMostOnce),
        EffectPolicy(
            timeouts: EffectTimeouts(startToClose: .seconds(2), scheduleToClose: .seconds(60), progress: .seconds(1)),
            retry: RetryPolicy(attempts: .max, onTimeout: true)),
        EffectPolicy(limit: EffectLimit("few", concurrency: 1, rate: EffectLimit.Rate(1, per: .seconds(1)))),
        EffectPolicy(timeouts: EffectTimeouts(scheduleToStart: .seconds(5)), priority: .max),
        EffectPolicy(
            limitPerKey: EffectLimit("each", concurrency: 1, rate: EffectLimit.Rate(1, per: .seconds(1)))),
    ].enumerated().map { index, policy in
        EffectPlan(
            destination: .pool(index % 2 == 0 ? "a" : "b"), policy: policy, affinity: index == 4 ? "key" : nil,
            key: index == 5 ? "tenant" : nil)
    }

    private static func effect(_ plan: EffectPlan) -> PlannedEffect {
        PlannedEffect(effect: Payload(kind: PayloadKind(type: "Effect"), bytes: [1, 2, 3]), plan: plan)
    }

    /// A peer says something, in its own session and epoch where that `fits`.
    mutating func receive(_ envelope: Envelope<WorkerMessage>, from peer: Peer, fits: Bool) {
        var envelope = envelope
        if case .hello(var hello) = envelope.message, fits {
            hello.versions = [Head.version]
            hello.journal = Self.journal
            envelope = Envelope(epoch: 2, session: 0, message: .hello(hello))
        } else if fits {
            envelope = Envelope(epoch: 2, session: sessions[peer] ?? 0, message: envelope.message)
        }
        play(.received(envelope, from: peer))
    }

    /// Time passes, and what falls due is done.
    mutating func wait(_ duration: Duration) {
        now = now + duration
        if let deadline = machine.nextDeadline, deadline <= now { play(.tick) }
    }

    /// What operators and metrics ask for, as it is sent.
    mutating func look() {
        faults += machine.audit()
        var status = FleetStatus(
            program: "p", build: "b", journal: Self.journal, epoch: 2, started: WallTime(milliseconds: 0),
            maximumPayload: 4096)
        machine.fill(&status, at: now)
        if machine.poolStatuses(at: now) != status.pools { faults.append("metrics and status differ") }
        let page = machine.statuses(of: nil, after: nil, limit: 1000, at: now)
        var bytes: [UInt8] = []
        for answer in [ClientAnswer.status(status), .effects(page.effects, more: page.more)] {
            bytes.removeAll()
            NumberedAnswer(epoch: 2, number: 1, answer: answer).encode(into: &bytes)
            if (try? NumberedAnswer(decoding: bytes.span.bytes)) == nil { faults.append("an answer cannot be read") }
        }
        _ = (machine.snapshotState(of: .main), machine.underWay(of: .main), machine.nextDuty, machine.isAtRest)
    }

    /// An input, all that follows from it, and a flush.
    mutating func play(_ input: CoordinatorInput) {
        perform(machine.handle(input, at: now))
        repeat {
            for ticket in waiting.indices.map({ waiting[$0] }) { perform(machine.handle(.committed(ticket), at: now)) }
            waiting.removeAll()
            perform(machine.handle(.flush, at: now))
        } while !waiting.isEmpty
    }

    private mutating func perform(_ actions: [CoordinatorAction]) {
        for action in actions {
            switch action {
            case .apply(let application):
                // Some events ask for more, so that there is always something to do.
                applied += 1
                let asked = applied < 1000 ? [Self.effect(Self.plans[applied % Self.plans.count])] : []
                perform(machine.handle(.applied(application, effects: asked), at: now))
            case .applyFailure(let id, _, _, _), .applyTimer(let id, _, _, _), .applyAnswer(let id, _, _):
                perform(machine.handle(.completedWithoutEvent(id), at: now))
            case .append(let ticket, _): waiting.append(ticket)
            case .send(let peer, let envelope):
                if case .welcome = envelope.message { sessions[peer] = envelope.session }
                var bytes: [UInt8] = []
                envelope.encode(into: &bytes)
            default: break
            }
        }
    }
}
