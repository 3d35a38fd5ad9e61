/// A case that a route has recognised as its own, and how its payload is stored.
struct RecognisedCase: Sendable, Equatable {
    let tag: Int
    let isIndirect: Bool
}
