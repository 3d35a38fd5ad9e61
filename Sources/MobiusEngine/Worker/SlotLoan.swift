/// What a worker machine owes the broker that lends it slots.
struct SlotLoan: Equatable, Sendable {
    /// A RECLAIM that waits for its answer.
    struct Claim: Equatable, Sendable {
        let number: UInt32
        let credits: Int
    }

    /// Slots that it has given back, for the broker to take.
    var returned = 0
    /// How many effects began to wait for its slots at the coordinator; 0 when none does.
    var wanted = 0
    /// Whether an order was refused for want of a slot, and comes again.
    var wasRefused = false
    var claim: Claim?
    /// The number of its last RECLAIM.
    var claims: UInt32 = 0
    /// The slots that the coordinator has given back in this session, as far as is known.
    var void: UInt64 = 0

    /// What a session's messages said counts no longer.
    mutating func endSession() { (wanted, wasRefused, claim, void) = (0, false, nil, 0) }
}
