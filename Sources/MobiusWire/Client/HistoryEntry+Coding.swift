// The fields of a history's entries, and of the effects in them.

private enum Tag {
    static let place: UInt8 = 1
    static let what: UInt8 = 2
    static let time: UInt8 = 3
    static let epoch: UInt8 = 4
    static let build: UInt8 = 5
    static let key: UInt8 = 6
    static let effect: UInt8 = 7
    static let attempt: UInt8 = 8
    static let report: UInt8 = 9
    static let round: UInt8 = 10
    static let due: UInt8 = 11
    static let ends: UInt8 = 12
    static let failures: UInt8 = 13
    static let reason: UInt8 = 14
    static let event: UInt8 = 15
    static let asked: UInt8 = 16
    static let count: UInt8 = 17
}

extension HistoryEntry {
    func write(to writer: inout ByteWriter) {
        writer.field(Tag.place) { place.write(to: &$0) }
        writer.field(Tag.what) { $0.shortString(what.rawValue) }
        if let time { writer.field(Tag.time) { $0.wallTime(time) } }
        writer.field(Tag.epoch) { $0.uint64(epoch) }
        writer.field(Tag.build) { $0.shortString(build) }
        if let key { writer.field(Tag.key) { $0.shortString(key) } }
        if let effect { writer.field(Tag.effect) { effect.write(to: &$0) } }
        if let attempt {
            writer.field(Tag.attempt) {
                $0.uint64(attempt.epoch)
                $0.uint32(attempt.number)
            }
        }
        if let report { writer.field(Tag.report) { $0.uint32(report) } }
        if round > 0 { writer.field(Tag.round) { $0.uint32(round) } }
        if let due { writer.field(Tag.due) { $0.wallTime(due) } }
        if let ends { writer.field(Tag.ends) { ends.write(to: &$0) } }
        if failures > 0 { writer.field(Tag.failures) { $0.uint32(failures) } }
        if !reason.isEmpty { writer.field(Tag.reason) { $0.reason(reason) } }
        if let event { writer.field(Tag.event) { event.write(to: &$0) } }
        for effect in effects { writer.field(Tag.asked) { effect.write(to: &$0) } }
        if effectCount > 0 { writer.field(Tag.count) { $0.uint32(effectCount) } }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var place: HistoryPlace?
        var what: String?
        var entry = Self(HistoryPlace(sequence: 0), .start, epoch: 0, build: "")
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.place: place = try HistoryPlace(from: &value)
            case Tag.what: what = try value.shortString("what")
            default: return try entry.read(tag, from: &value)
            }
            return true
        }
        entry.place = try required(place, "place")
        entry.what = What(rawValue: try required(what, "what"))
        self = entry
    }

    private mutating func read(_ tag: UInt8, from value: inout WireReader) throws(WireError) -> Bool {
        switch tag {
        case Tag.time: time = try value.wallTime("time")
        case Tag.epoch: epoch = try value.uint64("epoch")
        case Tag.build: build = try value.shortString("build")
        case Tag.key: key = try value.shortString("key")
        case Tag.effect: effect = try EffectID(from: &value)
        case Tag.attempt:
            attempt = Attempt(epoch: try value.uint64("epoch of attempt"), number: try value.uint32("attempt"))
        case Tag.report: report = try value.uint32("report")
        case Tag.round: round = try value.uint32("round")
        case Tag.due: due = try value.wallTime("due")
        case Tag.ends: ends = try EffectID(from: &value)
        case Tag.failures: failures = try value.uint32("failures")
        case Tag.reason: reason = try value.reason("reason")
        case Tag.event: event = try HistoryPayload(from: &value)
        case Tag.asked: effects.append(try HistoryEffect(from: &value))
        case Tag.count: effectCount = try value.uint32("effects")
        default: return false
        }
        return true
    }
}

extension HistoryPayload {
    private enum Tag {
        static let kind: UInt8 = 1
        static let size: UInt8 = 2
        static let bytes: UInt8 = 3
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.field(Tag.kind) { kind.write(to: &$0) }
        writer.field(Tag.size) { $0.uint32(size) }
        if let bytes { writer.field(Tag.bytes) { $0.block(bytes) } }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        var kind: PayloadKind?
        var size: UInt32 = 0
        var bytes: [UInt8]?
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.kind: kind = try PayloadKind(from: &value)
            case Tag.size: size = try value.uint32("size")
            case Tag.bytes: bytes = try value.block("payload")
            default: return false
            }
            return true
        }
        self.init(kind: try required(kind, "kind"), size: size, bytes: bytes)
    }
}

extension HistoryEffect {
    private enum Tag {
        static let index: UInt8 = 1
        static let effect: UInt8 = 2
        static let due: UInt8 = 3
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.field(Tag.index) { $0.uint32(index) }
        writer.field(Tag.effect) { effect.write(to: &$0) }
        if let due { writer.field(Tag.due) { $0.wallTime(due) } }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        var index: UInt32?
        var effect: HistoryPayload?
        var due: WallTime?
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.index: index = try value.uint32("index")
            case Tag.effect: effect = try HistoryPayload(from: &value)
            case Tag.due: due = try value.wallTime("due")
            default: return false
            }
            return true
        }
        self.init(index: try required(index, "index"), effect: try required(effect, "effect"), due: due)
    }
}
