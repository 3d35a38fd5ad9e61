/// An effect that failed for good and is kept for operators, without its payload.
public struct DeadLetterSummary: Hashable, Sendable, Codable {
    /// The id of the effect.
    public var id: EffectID
    /// Its loop.
    public let loop: LoopID
    /// The time at which it failed for good.
    public var deadLettered: WallTime
    /// The pool that it went to; `nil` for what the coordinator did itself, and in a list for effects too large to be read.
    public var pool: String?
    /// The number of failed attempts.
    public var failures: UInt32
    /// The number of earlier retries by an operator: 0 for its first death.
    public var round: UInt32
    /// The reason why it failed for good, in a sentence of up to ``ClientAnswer/maximumReason`` bytes.
    public var reason: String
    /// The name of its payload's type, up to 255 bytes.
    public var type: String
    /// The version of that type.
    public var typeVersion: UInt16
    /// The coding of the payload, such as `application/json`.
    public var contentType: String
    /// The bytes of its payload.
    public var size: UInt32

    /// Describes a dead letter.
    public init(
        id: EffectID, round: UInt32 = 0, kind: PayloadKind, size: UInt32, pool: String?, failures: UInt32,
        reason: String, deadLettered: WallTime
    ) {
        self.id = id
        loop = id.loop
        self.round = round
        (type, typeVersion, contentType) = (kind.type, kind.version, kind.contentType)
        self.size = size
        self.pool = pool
        self.failures = failures
        self.reason = reason.cut(toBytes: ClientAnswer.maximumReason)
        self.deadLettered = deadLettered
    }

    /// The kind of its payload.
    public var kind: PayloadKind {
        get { PayloadKind(type: type, version: typeVersion, contentType: contentType) }
        set { (type, typeVersion, contentType) = (newValue.type, newValue.version, newValue.contentType) }
    }
}
