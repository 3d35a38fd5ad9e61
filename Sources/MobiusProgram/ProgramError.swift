/// A bug in a program that is detected at run time: an effect without a route, or one that cannot be encoded.
public struct ProgramError: Error, CustomStringConvertible {
    /// A message with what to do.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
