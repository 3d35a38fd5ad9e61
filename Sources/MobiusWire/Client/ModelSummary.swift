/// Which of a loop's models it is: the one after this event of this journal.
public struct ModelVersion: Hashable, Sendable {
    /// The journal, because another one counts its events anew.
    public var journal: JournalID
    /// The number of the last event that was applied; the loop's start is 0.
    public var sequence: UInt64

    /// Names a version.
    public init(journal: JournalID, sequence: UInt64) {
        self.journal = journal
        self.sequence = sequence
    }

    func write(to writer: inout ByteWriter) {
        writer.randomID(journal)
        writer.uint64(sequence)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let journal: JournalID = try reader.randomID("journal")
        self.init(journal: journal, sequence: try reader.uint64("sequence"))
    }
}

/// A model of a loop, without its payload.
public struct ModelSummary: Hashable, Sendable {
    /// Which loop.
    public var loop: LoopID
    /// Which of its models.
    public var version: ModelVersion
    /// The build of the program that made it, up to 255 bytes.
    public var build: String
    /// Whether the program masked some of its contents.
    public var isMasked: Bool

    /// Whether the loop is held in quarantine, so that this is its last good model.
    public var isHeld: Bool

    /// Describes a model.
    public init(loop: LoopID, version: ModelVersion, build: String, isMasked: Bool = false, isHeld: Bool = false) {
        self.loop = loop
        self.version = version
        self.build = build
        self.isMasked = isMasked
        self.isHeld = isHeld
    }
}

extension ModelSummary {
    private enum Tag {
        static let loop: UInt8 = 1
        static let version: UInt8 = 2
        static let build: UInt8 = 3
        static let masked: UInt8 = 4
        static let held: UInt8 = 5
    }

    func write(to writer: inout ByteWriter) {
        writer.field(Tag.loop) { $0.shortString(loop.name) }
        writer.field(Tag.version) { version.write(to: &$0) }
        writer.field(Tag.build) { $0.shortString(build) }
        if isMasked { writer.field(Tag.masked) { $0.uint8(1) } }
        if isHeld { writer.field(Tag.held) { $0.uint8(1) } }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var loop: LoopID?
        var version: ModelVersion?
        var build = ""
        var isMasked = false
        var isHeld = false
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.loop: loop = try value.loop()
            case Tag.version: version = try ModelVersion(from: &value)
            case Tag.build: build = try value.shortString("build")
            case Tag.masked: isMasked = try value.flag("masked")
            case Tag.held: isHeld = try value.flag("held")
            default: return false
            }
            return true
        }
        self.init(
            loop: try required(loop, "loop"), version: try required(version, "version"), build: build,
            isMasked: isMasked, isHeld: isHeld)
    }
}
