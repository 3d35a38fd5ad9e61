import MobiusWire

typealias WorkerSlot = SlotTable<Incarnation, WorkerState>.Slot

/// What a coordinator machine keeps about one worker.
struct WorkerState: SlotValue {
    enum Health: Equatable, Sendable {
        case good
        /// Silent for a while.
        case suspect
        /// Its connection is gone since.
        case disconnected(Moment)
    }

    /// An effect that it should hold, and what is known of its order's way.
    struct Receipt: Equatable, Sendable {
        let effect: EffectSlot
        /// Its number among the orders of the session; 0 when it came before that.
        var number: UInt64 = 0
        /// Whether the worker has listed the attempt or reported on it: then the order arrived.
        var isConfirmed = false
    }

    /// What the next flush sends.
    struct Outbox: Equatable, Sendable {
        var stales: [AttemptID] = []
        var cancels: [AttemptID] = []
        var acks: [ReportID] = []
        var orders: [EffectOrder] = []

        /// How many answers that the worker can ask for again are kept for the next flush: with each of its messages it names
        /// as many attempts and reports as fit into one.
        static let maximumAnswers = 4096

        /// Whether it takes one more attempt that is held in vain; who lists very many hears of the others later.
        var takesStale: Bool { stales.count < Self.maximumAnswers }

        /// Tells the worker that an attempt is stale; if it hears nothing, it will name that attempt again.
        mutating func answerStale(_ attempt: AttemptID) {
            if takesStale { stales.append(attempt) }
        }

        /// Acknowledges a report that came again; if the worker hears nothing, it will come once more.
        mutating func acknowledgeAgain(_ report: ReportID) {
            if acks.count < Self.maximumAnswers { acks.append(report) }
        }
    }

    let incarnation: Incarnation
    let peer: Peer
    let session: UInt64
    let pools: [String]
    let build: String
    let name: String
    /// The number of the HELLO that began the session, if it had one.
    let hello: UInt32
    var health = Health.good
    var draining = false
    /// Whether reports of it were dropped because too much waited for its commit.
    var hasMissed = false
    /// Whether it was asked to say HELLO again, because a loop goes on whose effects it may hold.
    var isResyncing = false
    var lastHeard: Moment
    /// When its last list of what it holds came.
    var listed: Moment?
    var creditTotal: UInt64
    /// How many orders of the session have left; those of the outbox follow them.
    var sent: UInt64 = 0
    /// How many of these were lost on their way, as its lists say.
    var lost: UInt64 = 0
    /// What waits for the commit that must precede its order.
    var reserved: Set<AttemptID> = []
    /// What it should hold; each effect knows its place here.
    var holding: [Receipt] = []
    var outbox = Outbox()

    static let nothing = WorkerState(
        incarnation: Incarnation(high: 0, low: 0), peer: Peer(0), session: 0, pools: [], build: "", name: "", hello: 0,
        lastHeard: Moment(nanoseconds: 0), creditTotal: 0)

    /// How many orders of the session it has to count with.
    private var taken: UInt64 { sent + UInt64(outbox.orders.count) + UInt64(reserved.count) }

    /// How many orders it allows in the session, all told: those that never arrived took no slot.
    private var allowed: UInt64 { creditTotal.saturatingAdding(lost) }

    /// How many effects may be sent to it now.
    var free: UInt64 { health == .good && !draining && allowed > taken ? allowed - taken : 0 }

    /// What the next flush sends, and where to; `sent` is the number of the last order before those of the outbox.
    mutating func takeOutbox() -> (peer: Peer, session: UInt64, sent: UInt64, outbox: Outbox) {
        let taken = Outbox(
            stales: outbox.stales.takeAll(), cancels: outbox.cancels.takeAll(), acks: outbox.acks.takeAll(),
            orders: outbox.orders.takeAll())
        defer { sent += UInt64(taken.orders.count) }
        return (peer, session, sent, taken)
    }

    /// Sends an order with the next flush; answers its number among those of the session.
    mutating func start(_ order: consuming EffectOrder) -> UInt64 {
        outbox.orders.append(order)
        return sent + UInt64(outbox.orders.count)
    }

    /// Sends the order of an effect with the next flush, which it should hold from now on; answers at which place.
    mutating func hold(_ effect: EffectSlot, _ order: consuming EffectOrder) -> Int {
        let number = start(order)
        return hold(Receipt(effect: effect, number: number))
    }

    /// Notes that it should hold an effect; answers at which place.
    mutating func hold(_ receipt: Receipt) -> Int {
        holding.append(receipt)
        return holding.count - 1
    }

    /// Notes that it should not hold the effect of this place any more; the last of its effects takes that, if it is another.
    mutating func letGo(of effect: EffectSlot, at place: Int) -> EffectSlot? {
        guard holds(effect, at: place) else { return nil }
        let last = holding.removeLast()
        guard last.effect != effect else { return nil }
        holding[place] = last
        return last.effect
    }

    /// Whether its receipt of this effect has this place.
    func holds(_ effect: EffectSlot, at place: Int) -> Bool {
        place < holding.count && holding[place].effect == effect
    }

    /// What a list says that it has of its orders.
    enum Finding {
        case held
        /// The list is older than the order.
        case unknown
        /// The order never arrived.
        case lost
        /// It arrived, and the worker has let go of it.
        case forgotten
    }

    /// Looks for an attempt in a list of all that the worker held when it knew of so many orders.
    static func find(
        _ attempt: AttemptID, _ receipt: Receipt, in list: Set<AttemptID>, sent: UInt64
    ) -> Finding {
        if list.contains(attempt) { return .held }
        guard receipt.number <= sent else { return .unknown }
        return receipt.isConfirmed ? .forgotten : .lost
    }
}
