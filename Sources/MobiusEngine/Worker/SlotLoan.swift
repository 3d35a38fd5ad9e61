/// The account of a worker machine with the broker that lends it slots.
struct SlotLoan: Equatable, Sendable {
    /// A RECLAIM that waits for its answer.
    struct Claim: Equatable, Sendable {
        let number: UInt32
        let credits: Int
    }

    /// The number of effects that began to wait for its slots at the coordinator; 0 when none does.
    var wanted = 0
    /// Whether an order was refused for want of a slot, and comes again.
    var wasRefused = false
    /// Whether the next credit goes with a list of what it holds, so that such an order comes before others.
    var listsFirst = false
    var claim: Claim?
    /// The number of its last RECLAIM.
    var claims: UInt32 = 0
    /// The slots that the coordinator has given back in this session, as far as is known.
    var void: UInt64 = 0

    /// Forgets what messages of the session that ends have reported.
    mutating func endSession() { (wanted, wasRefused, listsFirst, claim, void) = (0, false, false, nil, 0) }
}
