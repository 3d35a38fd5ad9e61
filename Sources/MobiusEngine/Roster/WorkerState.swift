package import MobiusWire

package typealias WorkerSlot = SlotTable<Incarnation, WorkerState>.Slot

/// A coordinator machine's state of one worker.
package struct WorkerState: SlotValue {
    enum Health: Equatable, Sendable {
        case good
        /// Silent for a while.
        case suspect
        /// Its connection was lost at this moment.
        case disconnected(Moment)
    }

    /// An effect that it should hold, and the state of its order.
    struct Receipt: Equatable, Sendable {
        let effect: EffectSlot
        /// Its number among the orders of the session; 0 for an earlier session.
        var number: UInt64 = 0
        /// Whether the worker has listed the attempt or reported on it: then the order arrived.
        var isConfirmed = false
    }

    /// The messages of the next flush.
    package struct Outbox: Equatable, Sendable {
        var stales: [AttemptID] = []
        var cancels: [AttemptID] = []
        var acks: [ReportID] = []
        package var orders: [EffectOrder] = []

        /// The maximum number of repeatable answers kept for the next flush, because each message of the worker may
        /// name as many attempts and reports as fit.
        static let maximumAnswers = 4096

        var isEmpty: Bool { orders.isEmpty && acks.isEmpty && stales.isEmpty && cancels.isEmpty }

        /// Whether there is room for one more stale attempt; the others are answered later.
        var takesStale: Bool { stales.count < Self.maximumAnswers }

        /// Answers that an attempt is stale; without the answer, the worker will list it again.
        mutating func answerStale(_ attempt: AttemptID) {
            if takesStale { stales.append(attempt) }
        }

        /// Acknowledges a repeated report; without the ACK, the worker will send it again.
        mutating func acknowledgeAgain(_ report: ReportID) {
            if acks.count < Self.maximumAnswers { acks.append(report) }
        }
    }

    let incarnation: Incarnation
    let peer: Peer
    package let session: UInt64
    let pools: [String]
    let build: String
    let name: String
    /// The number of the HELLO that began the session, if it had one.
    let hello: UInt32
    var health = Health.good
    package var draining = false
    /// Whether its reports were dropped because intake was closed.
    var hasMissed = false
    /// Whether it got RESYNC, because a loop was released whose effects it may hold.
    var isResyncing = false
    var lastHeard: Moment
    /// The time at which its last list of attempts arrived.
    var listed: Moment?
    package var creditTotal: UInt64
    /// The number of orders sent in the session; those of the outbox follow them.
    var sent: UInt64 = 0
    /// The number of these that were lost, according to its lists.
    var lost: UInt64 = 0
    /// The number of orders that it allowed and has taken back.
    var void: UInt64 = 0
    /// The newest of its RECLAIMs that was answered.
    var reclaimed: UInt32 = 0
    /// The number of effects that wait for its slots, as it was told last; `nil` when it was told nothing of that.
    var wanted: Int?
    /// Whether it is told that once more.
    var hearsAgain = false
    /// Attempts that wait for the commit that must precede their order.
    var reserved: Set<AttemptID> = []
    /// The effects that it should hold; each effect stores its place here.
    var holding: [Receipt] = []
    package var outbox = Outbox()

    package static let nothing = WorkerState(
        incarnation: Incarnation(high: 0, low: 0), peer: Peer(0), session: 0, pools: [], build: "", name: "", hello: 0,
        lastHeard: Moment(nanoseconds: 0), creditTotal: 0)

    /// The number of orders of the session, including unsent ones.
    private var taken: UInt64 { sent + UInt64(outbox.orders.count) + UInt64(reserved.count) }

    /// The total number of orders that it allows in the session: lost orders took no slot.
    private var allowed: UInt64 {
        let all = creditTotal.saturatingAdding(lost)
        return all - min(all, void)
    }

    /// The number of orders that it allows, and that were not taken.
    private var unused: UInt64 { allowed > taken ? allowed - taken : 0 }

    /// The number of effects that may be sent to it now.
    package var free: UInt64 { health == .good && !draining ? unused : 0 }

    /// It takes slots back: as many as are not used.
    mutating func reclaim(_ credits: UInt64) { void = void.saturatingAdding(min(credits, unused)) }

    /// Returns how many effects wait for its slots, if it is to hear that now.
    mutating func takeNews(ofWanted waiting: Int) -> Int? {
        guard health == .good else { return nil }
        let count = draining ? 0 : waiting
        let told = wanted ?? 0
        let isNews = told == 0 ? count > 0 : count == 0 || count / 2 >= told
        guard isNews || hearsAgain else { return nil }
        wanted = count
        hearsAgain = false
        return count
    }

    /// Takes the orders of the next flush, with the number of the last order before them.
    mutating func takeOrders() -> (after: UInt64, orders: [EffectOrder]) {
        let orders = outbox.orders.takeAll()
        defer { sent += UInt64(orders.count) }
        return (sent, orders)
    }

    /// Sends an order with the next flush; returns its number in the session.
    mutating func start(_ order: consuming EffectOrder) -> UInt64 {
        outbox.orders.append(order)
        return sent + UInt64(outbox.orders.count)
    }

    /// Sends the order of an effect with the next flush and adds the effect to those it should hold; returns its place.
    mutating func hold(_ effect: EffectSlot, _ order: consuming EffectOrder) -> Int {
        let number = start(order)
        return hold(Receipt(effect: effect, number: number))
    }

    /// Adds an effect to those it should hold; returns its place.
    mutating func hold(_ receipt: Receipt) -> Int {
        holding.append(receipt)
        return holding.count - 1
    }

    /// Removes the effect at this place; the last of its effects takes the place, if it is another one, and is
    /// returned.
    mutating func release(_ effect: EffectSlot, at place: Int) -> EffectSlot? {
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

    /// The state of an order according to a worker's list.
    enum Finding {
        case held
        /// The list is older than the order.
        case unknown
        /// The order never arrived.
        case lost
        /// It arrived, and the worker no longer holds it.
        case forgotten
    }

    /// Searches an attempt in a worker's list, which was made after the given number of orders.
    static func find(
        _ attempt: AttemptID, _ receipt: Receipt, in list: Set<AttemptID>, sent: UInt64
    ) -> Finding {
        if list.contains(attempt) { return .held }
        guard receipt.number <= sent else { return .unknown }
        return receipt.isConfirmed ? .forgotten : .lost
    }
}

extension WorkerState {
    /// Its name, or the beginning of its incarnation.
    var label: String { name.isEmpty ? String("\(incarnation)".prefix(8)) : name }
}
