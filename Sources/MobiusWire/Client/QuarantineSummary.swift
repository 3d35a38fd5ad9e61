/// A loop that is held because one of its events ended the process again and again, without that event's payload.
public struct QuarantineSummary: Hashable, Sendable, Codable {
    /// The loop.
    public var loop: LoopID
    /// The number that the event would get: it tells one quarantine of a loop from the next.
    public var sequence: UInt64
    /// The source of the event, for people; up to 255 bytes.
    public var source: String
    /// The name of its payload's type, up to 255 bytes.
    public var type: String
    /// The version of that type.
    public var typeVersion: UInt16
    /// The coding of the payload, such as `application/json`.
    public var contentType: String
    /// The bytes of its payload.
    public var size: UInt32
    /// The number of times that it ended the process.
    public var crashes: UInt32
    /// The build that it ended last, up to 255 bytes.
    public var build: String
    /// The time at which it did.
    public var since: WallTime
    /// The number of effects of the loop that wait.
    public var pending: UInt64

    /// Describes a held loop.
    public init(
        loop: LoopID, sequence: UInt64, source: String, kind: PayloadKind, size: UInt32, crashes: UInt32,
        build: String, since: WallTime, pending: UInt64 = 0
    ) {
        self.loop = loop
        self.sequence = sequence
        self.source = source
        (type, typeVersion, contentType) = (kind.type, kind.version, kind.contentType)
        self.size = size
        self.crashes = crashes
        self.build = build
        self.since = since
        self.pending = pending
    }

    /// The kind of its payload.
    public var kind: PayloadKind {
        get { PayloadKind(type: type, version: typeVersion, contentType: contentType) }
        set { (type, typeVersion, contentType) = (newValue.type, newValue.version, newValue.contentType) }
    }

    private enum CodingKeys: String, CodingKey {
        case loop, sequence, since, source, crashes, build
        case pending = "pendingEffects"
        case type, typeVersion, contentType, size
    }
}
