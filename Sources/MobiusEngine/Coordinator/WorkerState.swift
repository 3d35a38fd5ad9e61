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
    var health = Health.good
    var draining = false
    var lastHeard: Moment
    var creditTotal: UInt64
    var sent: UInt64 = 0
    /// What it should hold, and in how many of its lists in a row each was missing.
    var holding: [EffectID: UInt8] = [:]
    /// Attempts that were withdrawn from it before anything showed that it had received them, and in how many of its
    /// lists in a row each was missing. One that never came costs no credit.
    var withdrawn: [AttemptID: UInt8] = [:]
    var outbox = Outbox()

    /// How many effects may be sent to it now.
    var free: UInt64 {
        guard health == .good, !draining, creditTotal > sent else { return 0 }
        return creditTotal - sent
    }

    mutating func start(_ order: EffectOrder) {
        sent += 1
        holding[order.id.effect] = 0
        outbox.orders.append(order)
    }

    mutating func raiseCredit(to total: UInt64) {
        creditTotal = max(creditTotal, total)
    }

    /// Counts as never sent what was withdrawn and is missing from two lists in a row.
    mutating func settleWithdrawn(_ list: Set<AttemptID>) {
        guard !withdrawn.isEmpty else { return }
        for (attempt, missed) in withdrawn {
            if list.contains(attempt) {
                withdrawn[attempt] = nil
            } else if missed == 0 {
                withdrawn[attempt] = 1
            } else {
                withdrawn[attempt] = nil
                sent -= 1
            }
        }
    }
}
