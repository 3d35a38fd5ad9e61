/// A loop that is held because one of its events ended the process again and again, without that event's payload.
public struct QuarantineSummary: Hashable, Sendable {
    /// Which loop.
    public var loop: LoopID
    /// The number that the event would get: it tells one quarantine of a loop from the next.
    public var sequence: UInt64
    /// Where the event came from, for people; up to 255 bytes.
    public var source: String
    /// What its payload is.
    public var kind: PayloadKind
    /// The bytes of its payload.
    public var size: UInt32
    /// How often it ended the process.
    public var crashes: UInt32
    /// The build that it ended last, up to 255 bytes.
    public var build: String
    /// When it did.
    public var since: WallTime
    /// How many effects of the loop wait.
    public var pending: UInt64

    /// Describes a held loop.
    public init(
        loop: LoopID, sequence: UInt64, source: String, kind: PayloadKind, size: UInt32, crashes: UInt32,
        build: String, since: WallTime, pending: UInt64 = 0
    ) {
        self.loop = loop
        self.sequence = sequence
        self.source = source
        self.kind = kind
        self.size = size
        self.crashes = crashes
        self.build = build
        self.since = since
        self.pending = pending
    }
}

extension QuarantineSummary {
    private enum Tag {
        static let loop: UInt8 = 1
        static let sequence: UInt8 = 2
        static let source: UInt8 = 3
        static let kind: UInt8 = 4
        static let size: UInt8 = 5
        static let crashes: UInt8 = 6
        static let build: UInt8 = 7
        static let since: UInt8 = 8
        static let pending: UInt8 = 9
    }

    func write(to writer: inout ByteWriter) {
        writer.field(Tag.loop) { $0.shortString(loop.name) }
        writer.field(Tag.sequence) { $0.uint64(sequence) }
        writer.field(Tag.source) { $0.shortString(source) }
        writer.field(Tag.kind) { kind.write(to: &$0) }
        writer.field(Tag.size) { $0.uint32(size) }
        writer.field(Tag.crashes) { $0.uint32(crashes) }
        writer.field(Tag.build) { $0.shortString(build) }
        writer.field(Tag.since) { $0.wallTime(since) }
        writer.field(Tag.pending) { $0.uint64(pending) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var loop: LoopID?
        var sequence: UInt64?
        var kind: PayloadKind?
        var status = Self(
            loop: .main, sequence: 0, source: "", kind: PayloadKind(type: ""), size: 0, crashes: 0, build: "",
            since: WallTime(milliseconds: 0))
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.loop: loop = try value.loop()
            case Tag.sequence: sequence = try value.uint64("sequence")
            case Tag.source: status.source = try value.shortString("source")
            case Tag.kind: kind = try PayloadKind(from: &value)
            case Tag.size: status.size = try value.uint32("size")
            case Tag.crashes: status.crashes = try value.uint32("crashes")
            case Tag.build: status.build = try value.shortString("build")
            case Tag.since: status.since = try value.wallTime("since")
            case Tag.pending: status.pending = try value.uint64("pending")
            default: return false
            }
            return true
        }
        status.loop = try required(loop, "loop")
        status.sequence = try required(sequence, "sequence")
        status.kind = try required(kind, "kind")
        self = status
    }
}
