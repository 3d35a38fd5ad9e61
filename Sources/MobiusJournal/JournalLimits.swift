/// Limits of what a store keeps.
public struct JournalLimits: Sendable {
    /// The minimum number of a loop's outside keys that are kept, the newest: as long as its key is kept, a repeated
    /// event is detected.
    public let outsideKeys: Int
    /// The maximum number of a loop's dead letters that are kept, the newest.
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
