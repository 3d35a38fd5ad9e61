/// How much a store keeps of what would otherwise grow for ever.
public struct JournalLimits: Sendable {
    /// How many outside keys of a loop are kept at least, the newest: as long as that an event that is sent twice is known.
    public let outsideKeys: Int
    /// How many dead letters of a loop are kept at most, the newest.
    public let deadLetters: Int

    /// A million keys and 100,000 dead letters.
    public static let standard = JournalLimits(outsideKeys: 1_000_000, deadLetters: 100_000)

    /// Smaller ones, for tests.
    package init(outsideKeys: Int, deadLetters: Int) {
        precondition(outsideKeys > 0 && deadLetters > 0, "A store keeps at least one.")
        self.outsideKeys = outsideKeys
        self.deadLetters = deadLetters
    }
}
