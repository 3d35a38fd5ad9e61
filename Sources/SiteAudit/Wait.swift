/// A pause between two requests to one origin.
public struct Wait: Codable, Sendable, Equatable {
    /// The origin that is given rest.
    public var origin: String
    /// Tells this pause from every other.
    public var token: Int
    /// How long it is.
    public var milliseconds: Int

    /// Describes a pause.
    public init(origin: String, token: Int, milliseconds: Int) {
        self.origin = origin
        self.token = token
        self.milliseconds = milliseconds
    }
}
