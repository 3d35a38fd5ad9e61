extension Hello {
    private enum Tag {
        static let versions: UInt8 = 1
        static let incarnation: UInt8 = 2
        static let journal: UInt8 = 3
        static let pool: UInt8 = 4
        static let build: UInt8 = 5
        static let contentType: UInt8 = 6
        static let creditTotal: UInt8 = 7
        static let held: UInt8 = 8
        static let number: UInt8 = 9
        static let name: UInt8 = 10
        static let shard: UInt8 = 11
        static let effectType: UInt8 = 12
    }

    /// The most bytes that ``write(to:)`` writes.
    var length: Int {
        let overhead = ByteWriter.fieldOverhead
        let texts = 1 + build.utf8.count + 1 + name.utf8.count
        let fixed = 9 * overhead + 1 + 4 + versions.count + 16 + 16 + texts + 8 + 4 + 4
        let strings = (pools + contentTypes + effectTypes).reduce(0) { $0 + overhead + 1 + $1.utf8.count }
        return held.reduce(fixed + strings) { $0 + $1.length }
    }

    func write(to writer: inout ByteWriter) {
        writer.field(Tag.versions) { for version in versions { $0.uint8(version) } }
        writer.field(Tag.incarnation) { $0.randomID(incarnation) }
        if let journal { writer.field(Tag.journal) { $0.randomID(journal) } }
        for pool in pools { writer.field(Tag.pool) { $0.shortString(pool) } }
        writer.field(Tag.build) { $0.shortString(build) }
        for contentType in contentTypes { writer.field(Tag.contentType) { $0.shortString(contentType) } }
        writer.field(Tag.creditTotal) { $0.uint64(creditTotal) }
        writer.field(Tag.held) { $0.records(held) { $0.write(to: &$1) } }
        if number > 0 { writer.field(Tag.number) { $0.uint32(number) } }
        if !name.isEmpty { writer.field(Tag.name) { $0.shortString(name) } }
        if shard > 0 { writer.field(Tag.shard) { $0.uint32(shard) } }
        for type in effectTypes { writer.field(Tag.effectType) { $0.shortString(type) } }
        writer.endFields()
    }

    /// Throws if a worker names too many of a field's elements, each of which costs the coordinator something.
    private static func check(_ count: Int, below limit: Int, _ field: StaticString) throws(WireError) {
        guard count < limit else { throw WireError(.invalidField, "more than \(limit) \(field)") }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var versions: [UInt8] = []
        var incarnation: Incarnation?
        var journal: JournalID?
        var pools: [String] = []
        var build = ""
        var contentTypes: [String] = []
        var creditTotal: UInt64 = 0
        var held: [HeldAttempt] = []
        var number: UInt32 = 0
        var name = ""
        var shard: UInt32 = 0
        var effectTypes: [String] = []
        try reader.endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.versions:
                while value.remaining > 0 {
                    try Self.check(versions.count, below: Self.maximumVersions, "versions")
                    versions.append(try value.uint8("versions"))
                }
            case Tag.incarnation: incarnation = try value.randomID("incarnation")
            case Tag.journal: journal = try value.randomID("journal")
            case Tag.pool:
                try Self.check(pools.count, below: Self.maximumPools, "pools")
                pools.append(try value.shortString("pool"))
            case Tag.build: build = try value.shortString("build")
            case Tag.contentType:
                try Self.check(contentTypes.count, below: Self.maximumContentTypes, "content types")
                contentTypes.append(try value.shortString("content type"))
            case Tag.creditTotal: creditTotal = try value.uint64("credit")
            case Tag.held: held = try value.heldAttempts()
            case Tag.number: number = try value.uint32("number")
            case Tag.name: name = try value.shortString("name")
            case Tag.shard: shard = try value.uint32("shard")
            case Tag.effectType:
                try Self.check(effectTypes.count, below: Self.maximumEffectTypes, "types of effects")
                effectTypes.append(try value.shortString("type of effects"))
            default: return false
            }
            return true
        }
        guard let incarnation else { throw WireError(.missingField, "incarnation") }
        guard !versions.isEmpty else { throw WireError(.missingField, "versions") }
        guard !pools.isEmpty else { throw WireError(.missingField, "pool") }
        self.init(
            number: number, versions: versions, incarnation: incarnation, journal: journal, pools: pools, build: build,
            contentTypes: contentTypes, creditTotal: creditTotal, held: held, name: name, shard: shard)
        self.effectTypes = effectTypes
    }
}
