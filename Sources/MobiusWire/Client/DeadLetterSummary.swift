/// An effect that failed for good and is kept for operators, without its payload.
public struct DeadLetterSummary: Hashable, Sendable {
    /// Which effect.
    public var id: EffectID
    /// How often it was retried by an operator before: 0 for its first death.
    public var round: UInt32
    /// What its payload is.
    public var kind: PayloadKind
    /// The bytes of its payload.
    public var size: UInt32
    /// The pool that it went to; `nil` for what the coordinator did itself, and in a list for effects too large to be read.
    public var pool: String?
    /// How many attempts failed.
    public var failures: UInt32
    /// Why it failed for good, in a sentence of up to ``ClientAnswer/maximumReason`` bytes.
    public var reason: String
    /// When it did.
    public var deadLettered: WallTime

    /// Describes a dead letter.
    public init(
        id: EffectID, round: UInt32 = 0, kind: PayloadKind, size: UInt32, pool: String?, failures: UInt32,
        reason: String, deadLettered: WallTime
    ) {
        self.id = id
        self.round = round
        self.kind = kind
        self.size = size
        self.pool = pool
        self.failures = failures
        self.reason = reason
        self.deadLettered = deadLettered
    }
}

extension DeadLetterSummary {
    private enum Tag {
        static let id: UInt8 = 1
        static let round: UInt8 = 2
        static let kind: UInt8 = 3
        static let size: UInt8 = 4
        static let pool: UInt8 = 5
        static let failures: UInt8 = 6
        static let reason: UInt8 = 7
        static let deadLettered: UInt8 = 8
    }

    func write(to writer: inout ByteWriter) {
        writer.field(Tag.id) { id.write(to: &$0) }
        writer.field(Tag.round) { $0.uint32(round) }
        writer.field(Tag.kind) { kind.write(to: &$0) }
        writer.field(Tag.size) { $0.uint32(size) }
        if let pool { writer.field(Tag.pool) { $0.shortString(pool) } }
        writer.field(Tag.failures) { $0.uint32(failures) }
        writer.field(Tag.reason) { $0.reason(reason) }
        writer.field(Tag.deadLettered) { $0.wallTime(deadLettered) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var id: EffectID?
        var kind: PayloadKind?
        var deadLettered: WallTime?
        var letter = Self(
            id: EffectID(loop: .main, sequence: 0, index: 0), kind: PayloadKind(type: ""), size: 0, pool: nil,
            failures: 0, reason: "", deadLettered: WallTime(milliseconds: 0))
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.id: id = try EffectID(from: &value)
            case Tag.round: letter.round = try value.uint32("round")
            case Tag.kind: kind = try PayloadKind(from: &value)
            case Tag.size: letter.size = try value.uint32("size")
            case Tag.pool: letter.pool = try value.shortString("pool")
            case Tag.failures: letter.failures = try value.uint32("failures")
            case Tag.reason: letter.reason = try value.reason("reason")
            case Tag.deadLettered: deadLettered = try value.wallTime("deadLettered")
            default: return false
            }
            return true
        }
        letter.id = try required(id, "effect")
        letter.kind = try required(kind, "kind")
        letter.deadLettered = try required(deadLettered, "deadLettered")
        self = letter
    }
}
