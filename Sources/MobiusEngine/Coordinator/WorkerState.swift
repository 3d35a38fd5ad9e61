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
    }

    let incarnation: Incarnation
    let peer: Peer
    let session: UInt64
    let pools: [String]
    let build: String
    var health = Health.good
    var draining = false
    var lastHeard: Moment
    /// When its last list of what it holds came.
    var listed: Moment?
    var creditTotal: UInt64
    var sent: UInt64 = 0
    /// How many orders wait for the commit that must precede them.
    var reserved: UInt64 = 0
    /// What it should hold.
    var holding: [EffectID: Receipt] = [:]
    /// Attempts that were withdrawn from it before they were confirmed: one that never arrived costs no credit.
    var withdrawn: [AttemptID: Receipt] = [:]
    var outbox = Outbox()

    /// How many effects may be sent to it now.
    var free: UInt64 {
        guard health == .good, !draining, creditTotal > sent + reserved else { return 0 }
        return creditTotal - sent - reserved
    }

    mutating func start(_ order: EffectOrder) {
        sent += 1
        holding[order.id.effect] = Receipt()
        outbox.orders.append(order)
    }

    /// Takes an attempt from it that it is to cancel.
    mutating func withdraw(_ attempt: AttemptID) {
        outbox.orders.removeAll { $0.id == attempt }  // or its handler would begin after its end
        outbox.cancels.append(attempt)
        guard let receipt = holding.removeValue(forKey: attempt.effect), !receipt.isConfirmed else { return }
        withdrawn[attempt] = receipt
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
