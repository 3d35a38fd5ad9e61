import MobiusWire

// Several shards: the slots of the process are lent to their machines by a broker.
extension WorkerMachine {
    /// From now on its slots are a loan; it has all of the process's, or none.
    package mutating func borrow(all: Bool) {
        guard loan == nil else { return }
        loan = SlotLoan()
        guard !all else { return }
        (allotment, creditTotal, withheld) = (0, 0, 0)
    }

    /// What the broker needs to know of it.
    package var account: SlotAccount {
        SlotAccount(
            isJoined: isJoined && draining == nil, allotment: allotment, running: running,
            wanted: loan.map { max($0.wanted, $0.wasRefused ? 1 : 0) } ?? 0, claimed: loan?.claim?.credits ?? 0)
    }

    /// Takes so many slots more.
    package mutating func lend(_ slots: Int) {
        allotment += slots
        withheld += UInt64(slots)
        loan?.wasRefused = false
        grant()
    }

    /// The slots that it gives back; the broker has them then.
    package mutating func takeReturned() -> Int {
        defer { loan?.returned = 0 }
        return loan?.returned ?? 0
    }

    /// Gives up to so many slots back that nothing uses: those that were not promised at once, and those that were when the
    /// coordinator knows, or when there is none.
    package mutating func giveBack(_ slots: Int, at now: Moment) -> [WorkerAction] {
        var actions: [WorkerAction] = []
        guard !exited, loan != nil else { return actions }
        var left = min(slots, allotment - running)
        let unpromised = isPromised ? Int(clamping: withheld) : Int.max
        let direct = min(left, unpromised)
        guard direct >= 0 else { return actions }
        if isPromised { withheld -= UInt64(direct) }
        allotment -= direct
        loan?.returned += direct
        left -= direct
        guard left > 0, loan?.claim == nil, isJoined, let last = loan?.claims else { return actions }
        loan?.claims = last &+ 1
        loan?.claim = SlotLoan.Claim(number: last &+ 1, credits: left)
        reclaimAgain(&actions)
        return actions
    }

    /// Whether a coordinator may know of what was promised: in a session, and while HELLO has said it.
    private var isPromised: Bool { isJoined || awaitsWelcome }

    /// Sends the RECLAIM that waits for its answer.
    mutating func reclaimAgain(_ actions: inout [WorkerAction]) {
        guard let claim = loan?.claim else { return }
        send(.reclaim(number: claim.number, credits: UInt64(claim.credits)), &actions)
    }

    /// The coordinator has given slots back; no number of it gives more than was asked for, or is in use.
    mutating func reclaimed(_ number: UInt32, _ total: UInt64) {
        guard let claim = loan?.claim, claim.number == number, let void = loan?.void else { return }
        let slots = min(claim.credits, Int(clamping: total - min(total, void)), max(0, allotment - running))
        loan?.claim = nil
        loan?.void = max(void, total)
        allotment -= slots
        loan?.returned += slots
    }

    /// A handler has ended: its slot is free for this shard, or for the broker.
    mutating func free() {
        guard loan == nil else {
            allotment -= 1
            loan?.returned += 1
            return
        }
        withheld += 1
        grant()
    }

    /// Whether an order finds a free slot; one that does not comes again, for a slot of the next loan.
    mutating func takesSlot() -> Bool {
        guard loan != nil, running >= allotment else { return true }
        loan?.wasRefused = true
        return false
    }
}
