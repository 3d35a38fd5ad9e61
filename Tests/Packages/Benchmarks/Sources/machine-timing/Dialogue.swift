import MobiusEngine
import MobiusJournal
import MobiusWire

/// A coordinator's machine with one worker and a journal that answer at once, and a window of effects outstanding.
struct Dialogue: ~Copyable {
    private var machine = CoordinatorMachine(CoordinatorConfiguration(journal: journal, epoch: 1))
    private var now = Moment(nanoseconds: 0)
    private var credit: UInt64
    private var done = 0
    private var orders: [AttemptID] = []
    private var tickets: [Ticket] = []

    private static let journal = JournalID(high: 1, low: 1)
    private static let peer = Peer(1)
    // The default policy, with its minute for an attempt.
    private static let effect = PlannedEffect(
        effect: Payload(kind: PayloadKind(type: "Effect"), bytes: [1, 2, 3, 4]),
        plan: EffectPlan(destination: .pool("pool")))
    private static let event = Payload(kind: PayloadKind(type: "Event"), bytes: [1, 2, 3, 4])

    init(window: Int) {
        credit = UInt64(window)
        let hello = Hello(
            versions: [Head.version], incarnation: Incarnation(high: 0, low: 1), journal: Self.journal, pools: ["pool"],
            build: "benchmark", contentTypes: [], creditTotal: credit, held: [])
        tell(.begin(.main, effects: Array(repeating: Self.effect, count: window)))
        tell(.flush)
        tell(.received(Envelope(epoch: 0, session: 0, message: .hello(hello)), from: Self.peer))
    }

    /// Goes on until so many more effects have ended.
    mutating func go(on count: Int) {
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
        let reports = orders.map { EventReport(id: ReportID(attempt: $0, number: 1), final: true, event: Self.event) }
        orders.removeAll()
        let message = WorkerMessage.events(creditTotal: credit, reports)
        tell(.received(Envelope(epoch: 1, session: 1, message: message), from: Self.peer))
        tell(.flush)
    }

    private mutating func tell(_ input: CoordinatorInput) {
        for action in machine.handle(input, at: now) {
            switch action {
            case .append(let ticket, _): tickets.append(ticket)
            case .send(_, let envelope):
                if case .effects(_, let sent) = envelope.message { orders += sent.map(\.id) }
            case .apply(let application):
                done += 1
                tell(.applied(application, effects: [Self.effect]))
            default: break
            }
        }
    }
}
