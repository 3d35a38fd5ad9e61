/// An effect that failed for good and is kept for operators, without its payload.
public struct DeadLetterSummary: Hashable, Sendable, Codable {
    /// Which effect.
    public var id: EffectID
    /// Its loop.
    public let loop: LoopID
    /// When it failed for good.
    public var deadLettered: WallTime
    /// The pool that it went to; `nil` for what the coordinator did itself, and in a list for effects too large to be read.
    public var pool: String?
    /// How many attempts failed.
    public var failures: UInt32
    /// How often it was retried by an operator before: 0 for its first death.
    public var round: UInt32
    /// Why it failed for good, in a sentence of up to ``ClientAnswer/maximumReason`` bytes.
    public var reason: String
    /// The name of its payload's type, up to 255 bytes.
    public var type: String
    /// The version of that type.
    public var typeVersion: UInt16
    /// How the payload is coded, such as `application/json`.
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

    /// What its payload is.
    public var kind: PayloadKind {
        get { PayloadKind(type: type, version: typeVersion, contentType: contentType) }
        set { (type, typeVersion, contentType) = (newValue.type, newValue.version, newValue.contentType) }
    }
}
