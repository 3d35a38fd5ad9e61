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

    /// The account of its slots for the broker.
    package var account: SlotAccount {
        // What was asked back before the session ended is not promised any more.
        SlotAccount(
            isJoined: isJoined && draining == nil && mayTakeMore, allotment: allotment, running: running,
            wanted: loan.map { max($0.wanted, $0.wasRefused ? 1 : 0) } ?? 0,
            claimed: isJoined ? loan?.claim?.credits ?? 0 : 0)
    }

    /// Takes so many slots more.
    package mutating func lend(_ slots: Int) {
        allotment += slots
        withheld += UInt64(slots)
        if loan?.wasRefused == true {
            loan?.wasRefused = false
            loan?.listsFirst = true
        }
        grant()
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
    }

    /// A handler has ended: its slot is free for this shard, or for the broker.
    mutating func free() {
        guard loan == nil else {
            allotment -= 1
            return
        }
        withheld += 1
        grant()
    }

    /// Sends the list of what it holds with the credit of a new loan, after an order found no slot.
    ///
    /// The order is missing in the list, so the coordinator sends it again with that credit. With the credit alone it would start
    /// another effect, perhaps again and again.
    mutating func listFirst(at now: Moment, _ actions: inout [WorkerAction]) {
        guard loan?.listsFirst == true else { return }
        loan?.listsFirst = false
        list(at: now, &actions)
    }

    /// Whether an order finds a free slot; one that does not comes again, for a slot of the next loan.
    mutating func takesSlot() -> Bool {
        guard loan != nil, running >= allotment else { return true }
        loan?.wasRefused = true
        return false
    }
}
