/// A pause between two requests to one origin.
public struct Wait: Codable, Sendable, Equatable {
    /// The paused origin.
    public var origin: String
    /// Identifies this pause.
    public var token: Int
    /// Its length.
    public var milliseconds: Int

    /// Describes a pause.
    public init(origin: String, token: Int, milliseconds: Int) {
        self.origin = origin
        self.token = token
        self.milliseconds = milliseconds
    }
}
