/// A mistake in a program that only shows when it runs: an effect without a route, or one that cannot be coded.
public struct ProgramError: Error, CustomStringConvertible {
    /// One sentence, with what to do.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
