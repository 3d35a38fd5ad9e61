import MobiusWire

/// What a coordinator machine keeps about one worker.
struct WorkerState: Equatable, Sendable {
    enum Health: Equatable, Sendable {
        case good
        /// Silent for a while.
        case suspect
        /// Its connection is gone since.
        case disconnected(Moment)
    }

    /// What is known of an order's way.
    struct Receipt: Equatable, Sendable {
        /// Whether the worker has listed the attempt or reported on it: then the order arrived.
        var isConfirmed = false
        /// In how many lists in a row it was missing.
        var missed: UInt8 = 0
    }

    /// What the next flush sends.
    struct Outbox: Equatable, Sendable {
        var stales: [AttemptID] = []
        var cancels: [AttemptID] = []
        var acks: [ReportID] = []
        var orders: [EffectOrder] = []
        /// Orders that were sent before, and may have arrived.
        var again: [EffectOrder] = []

        var allOrders: [EffectOrder] { again.isEmpty ? orders : orders + again }
    }

    let incarnation: Incarnation
    let peer: Peer
    let session: UInt64
    let pools: [String]
    let build: String
    var health = Health.good
    var draining = false
    /// Whether it was asked to say HELLO again, because a loop goes on whose effects it may hold.
    var isResyncing = false
    var lastHeard: Moment
    /// When its last list of what it holds came.
    var listed: Moment?
    var creditTotal: UInt64
    var sent: UInt64 = 0
    /// What waits for the commit that must precede its order.
    var reserved: Set<AttemptID> = []
    /// What it should hold.
    var holding: [EffectID: Receipt] = [:]
    /// Attempts that were withdrawn from it before they were confirmed: one that never arrived costs no credit.
    var withdrawn: [AttemptID: Receipt] = [:]
    var outbox = Outbox()

    /// How many effects may be sent to it now.
    var free: UInt64 {
        let taken = sent + UInt64(reserved.count)
        return health == .good && !draining && creditTotal > taken ? creditTotal - taken : 0
    }

    /// ``free``, looked at where it is: reading it through a dictionary would copy the whole worker.
    mutating func countFree() -> UInt64 { free }

    /// What the next flush sends, and where to.
    mutating func takeOutbox() -> (peer: Peer, session: UInt64, outbox: Outbox) {
        var taken = Outbox()
        swap(&taken, &outbox)
        return (peer, session, taken)
    }

    mutating func start(_ order: EffectOrder) {
        sent += 1
        // The new attempt takes the old one's place there, which so would never be listed though it arrived.
        if !withdrawn.isEmpty { withdrawn = withdrawn.filter { $0.key.effect != order.id.effect } }
        holding[order.id.effect] = Receipt()
        outbox.orders.append(order)
    }

    /// Takes an attempt from it that it is to cancel, once the reason is on disk; whether its order never left.
    mutating func withdraw(_ attempt: AttemptID) -> Bool {
        let receipt = holding[attempt.effect]
        if recall(attempt) { return true }
        if let receipt, !receipt.isConfirmed { withdrawn[attempt] = receipt }
        return false
    }

    /// Takes an attempt from it; whether its order never left.
    mutating func recall(_ attempt: AttemptID) -> Bool {
        holding[attempt.effect] = nil
        // Or its handler would begin after its end.
        outbox.again.removeAll { $0.id == attempt }
        guard let position = outbox.orders.firstIndex(where: { $0.id == attempt }) else { return false }
        outbox.orders.remove(at: position)
        sent -= 1
        return true
    }

    /// Counts as never sent what was withdrawn and is missing from two lists in a row.
    mutating func settleWithdrawn(_ list: Set<AttemptID>) {
        guard !withdrawn.isEmpty else { return }
        for attempt in withdrawn.keys {
            if list.contains(attempt) {
                confirm(withdrawn: attempt)
            } else if let missed = withdrawn[attempt]?.missed, missed < 2 {
                withdrawn[attempt]?.missed = missed + 1
                if missed == 1 { sent -= 1 }
            }
        }
    }

    /// It arrived after all.
    mutating func confirm(withdrawn attempt: AttemptID) {
        guard let receipt = withdrawn.removeValue(forKey: attempt), receipt.missed == 2 else { return }
        sent += 1
    }
}
