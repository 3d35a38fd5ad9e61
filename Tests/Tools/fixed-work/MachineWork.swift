import MobiusEngine
import MobiusJournal
import MobiusWire

/// The coordinator's machine alone, with one worker and a journal that answer at once, and a window of effects outstanding.
struct MachineWork: ~Copyable {
    static let rows = [1, 256].map { window in
        FixedWork.Row(name: "machine-\(window)", unit: "effect") {
            var work = MachineWork(window: window)
            work.go(on: 4096)
            counted { work.go(on: effects) }
            return effects
        }
    }

    private static let effects = 16_384

    private var machine = CoordinatorMachine(CoordinatorConfiguration(journal: journal, epoch: 1))
    private var now = Moment(nanoseconds: 0)
    private var actions: [CoordinatorAction] = []
    private var credit: UInt64
    private var done = 0
    private var orders: [EffectOrder] = []
    private var tickets: [Ticket] = []

    private static let journal = JournalID(high: 1, low: 1)
    private static let peer = Peer(1)
    // The default policy, with its minute for an attempt.
    private static let effect = PlannedEffect(
        effect: Payload(kind: PayloadKind(type: "Effect"), bytes: [1, 2, 3, 4]),
        plan: EffectPlan(destination: .pool("pool")))
    private static let event = Payload(kind: PayloadKind(type: "Event"), bytes: [1, 2, 3, 4])

    private init(window: Int) {
        credit = UInt64(window)
        let hello = Hello(
            versions: [Head.version], incarnation: Incarnation(high: 0, low: 1), journal: Self.journal, pools: ["pool"],
            build: "fixed", contentTypes: [], creditTotal: credit, held: [])
        tell(.begin(.main, effects: Array(repeating: Self.effect, count: window)))
        tell(.flush)
        tell(.received(Envelope(epoch: 0, session: 0, message: .hello(hello)), from: Self.peer))
    }

    /// Goes on until so many more effects have ended.
    private mutating func go(on count: Int) {
        let end = done + count
        while done < end {
            let written = tickets
            tickets.removeAll()
            for ticket in written { tell(.committed(ticket)) }
            tell(.flush)
            report()
            now = now + .microseconds(100)
        }
    }

    /// The worker has done all that it was sent.
    private mutating func report() {
        guard !orders.isEmpty else { return }
        credit += UInt64(orders.count)
        let reports = orders.map {
            EventReport(id: ReportID(attempt: $0.id, number: 1), final: true, event: Self.event)
        }
        orders.removeAll()
        tell(.received(envelope(consume reports), from: Self.peer))
        tell(.flush)
    }

    private func envelope(_ reports: consuming [EventReport]) -> Envelope<WorkerMessage> {
        Envelope(epoch: 1, session: 1, message: .events(creditTotal: credit, reports))
    }

    /// Performs the actions as the driver does, from the end of one array that is kept.
    private mutating func tell(_ input: consuming CoordinatorInput) {
        machine.handle(input, at: now, into: &actions)
        actions.reverse()
        while !actions.isEmpty {
            var action = CoordinatorAction.stopped
            swap(&action, &actions[actions.count - 1])
            actions.removeLast()
            switch consume action {
            case .append(let ticket, _): tickets.append(ticket)
            case .send(_, let envelope): if case .effects(_, let sent) = envelope.message { orders += sent }
            case .apply(let application): apply(consume application)
            default: break
            }
        }
    }

    private mutating func apply(_ application: consuming EventApplication) {
        done += 1
        machine.applied(consume application, asking: .one(Self.effect), at: now, into: &actions)
    }
}
