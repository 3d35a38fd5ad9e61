/// The order in which a coordinator applies events that one client sends without waiting for the answers.
public enum SendOrder: UInt8, Hashable, Sendable, CaseIterable {
    /// Each on its own: one that gets BUSY is overtaken by later ones.
    case free = 0
    /// As they were sent: after BUSY, later ones of the connection get BUSY until that one is repeated.
    case ordered = 1
    /// The same, and also after any other answer than DONE: nothing behind a refused event is applied.
    case chained = 2
}
