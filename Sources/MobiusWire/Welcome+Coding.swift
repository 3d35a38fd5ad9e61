extension Welcome {
    private enum Tag {
        static let version: UInt8 = 1
        static let journal: UInt8 = 2
        static let heartbeat: UInt8 = 3
        static let silence: UInt8 = 4
        static let maximumPayload: UInt8 = 5
        static let hello: UInt8 = 6
        static let takesTraces: UInt8 = 7
        static let shards: UInt8 = 8
    }

    /// The most bytes that ``write(to:)`` writes.
    static let length = 8 * ByteWriter.fieldOverhead + 1 + 16 + 4 + 4 + 4 + 4 + 1 + 4 + 1

    func write(to writer: inout ByteWriter) {
        writer.field(Tag.version) { $0.uint8(version) }
        writer.field(Tag.journal) { $0.randomID(journal) }
        writer.field(Tag.heartbeat) { $0.uint32(heartbeat) }
        writer.field(Tag.silence) { $0.uint32(silence) }
        writer.field(Tag.maximumPayload) { $0.uint32(maximumPayload) }
        if hello > 0 { writer.field(Tag.hello) { $0.uint32(hello) } }
        if takesTraces { writer.field(Tag.takesTraces) { $0.uint8(1) } }
        if shards > 1 { writer.field(Tag.shards) { $0.uint32(shards) } }
        writer.endFields()
    }

    init(from reader: inout WireReader) throws(WireError) {
        var version: UInt8?
        var journal: JournalID?
        var heartbeat: UInt32?
        var silence: UInt32?
        var maximumPayload: UInt32?
        var hello: UInt32 = 0
        var takesTraces = false
        var shards: UInt32 = 1
        try reader.endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.version: version = try value.uint8("version")
            case Tag.journal: journal = try value.randomID("journal")
            case Tag.heartbeat: heartbeat = try value.uint32("heartbeat")
            case Tag.silence: silence = try value.uint32("silence")
            case Tag.maximumPayload: maximumPayload = try value.uint32("maximum payload")
            case Tag.hello: hello = try value.uint32("hello")
            case Tag.takesTraces: takesTraces = try value.flag("takes traces")
            case Tag.shards: shards = try value.shards()
            default: return false
            }
            return true
        }
        guard let version else { throw WireError(.missingField, "version") }
        guard let journal else { throw WireError(.missingField, "journal") }
        guard let heartbeat else { throw WireError(.missingField, "heartbeat") }
        guard let silence else { throw WireError(.missingField, "silence") }
        guard let maximumPayload else { throw WireError(.missingField, "maximum payload") }
        guard heartbeat > 0 else { throw WireError(.invalidField, "heartbeat must not be 0") }
        guard silence > 0 else { throw WireError(.invalidField, "silence must not be 0") }
        self.init(
            hello: hello, version: version, journal: journal, heartbeat: heartbeat, silence: silence,
            maximumPayload: maximumPayload, takesTraces: takesTraces, shards: shards)
    }
}
