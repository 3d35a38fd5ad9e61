/// The tags of the fields of all answers.
private enum Tag {
    static let repeated: UInt8 = 1
    static let retryAfter: UInt8 = 2
    static let code: UInt8 = 3
    static let reason: UInt8 = 4
    static let more: UInt8 = 5
    static let record: UInt8 = 6
    static let kind: UInt8 = 7
    static let payload: UInt8 = 8
    static let next: UInt8 = 9
    static let first: UInt8 = 10
    static let dropped: UInt8 = 40
    static let endpoint: UInt8 = 45
    static let shard: UInt8 = 46
}

extension NumberedAnswer {
    /// Appends the answer's one frame to `bytes`, whose other content stays; strings beyond their limit are cut.
    public func encode(into bytes: inout [UInt8]) {
        ByteWriter.append(to: &bytes) { writer in
            ClientHead(command: answer.command, epoch: epoch, number: number).write(to: &writer)
            answer.write(to: &writer)
            writer.endFields()
        }
    }

    /// Reads the one frame of a coordinator's answer.
    ///
    /// - Throws: ``WireError`` for any bytes that are not exactly one answer.
    public init(decoding frame: RawSpan) throws(WireError) {
        self = try frame.withUnsafeBytes { (bytes) throws(WireError) in
            var reader = WireReader(bytes)
            let head = try ClientHead(from: &reader)
            let answer = try ClientAnswer(head.command, from: &reader)
            try reader.end("answer")
            return NumberedAnswer(epoch: head.epoch, number: head.number, answer: answer)
        }
    }
}

extension ClientAnswer {
    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .done(let confirmation): confirmation.write(to: &writer)
        case .dropped:
            // For clients that do not know the second field, nothing is left to do.
            writer.field(Tag.repeated) { $0.uint8(1) }
            writer.field(Tag.dropped) { $0.uint8(1) }
        case .busy(let retryAfter): writer.field(Tag.retryAfter) { $0.uint32(retryAfter) }
        case .refused(let refusal):
            writer.field(Tag.code) { $0.uint8(refusal.code.rawValue) }
            writer.field(Tag.reason) { $0.reason(refusal.reason) }
        case .notFound: break
        case .effects(let records, let more):
            for record in records { writer.field(Tag.record) { record.write(to: &$0) } }
            if more { writer.field(Tag.more) { $0.uint8(1) } }
        case .letters(let records, let more):
            for record in records { writer.field(Tag.record) { record.write(to: &$0) } }
            if more { writer.field(Tag.more) { $0.uint8(1) } }
        case .letter(let letter, let payload):
            writer.field(Tag.record) { letter.write(to: &$0) }
            payload.writeFields(to: &writer)
        case .quarantine(let records, let more):
            for record in records { writer.field(Tag.record) { record.write(to: &$0) } }
            if more { writer.field(Tag.more) { $0.uint8(1) } }
        case .quarantined(let status, let payload):
            writer.field(Tag.record) { status.write(to: &$0) }
            payload.writeFields(to: &writer)
        case .status(let status): writer.field(Tag.record) { status.write(to: &$0) }
        case .effect(let effect, let payload):
            writer.field(Tag.record) { effect.write(to: &$0) }
            payload.writeFields(to: &writer)
        case .checked(let payload): payload.writeFields(to: &writer)
        case .loops(let records, let next):
            for record in records { writer.field(Tag.record) { record.write(to: &$0) } }
            if let next { writer.field(Tag.next) { $0.shortString(next.name) } }
        case .model(let summary, let payload):
            writer.field(Tag.record) { summary.write(to: &$0) }
            payload.writeFields(to: &writer)
        case .unchanged: break
        case .schema(let json): writer.field(Tag.payload) { $0.block(json) }
        case .moved(let endpoint, let map):
            if let endpoint { writer.field(Tag.endpoint) { $0.endpoint(endpoint) } }
            for shard in map?.shards ?? [] { writer.field(Tag.shard) { shard.write(to: &$0) } }
        case .history(let page):
            for entry in page.entries { writer.field(Tag.record) { entry.write(to: &$0) } }
            if page.more { writer.field(Tag.more) { $0.uint8(1) } }
            if let first = page.first { writer.field(Tag.first) { $0.uint64(first) } }
        }
    }

    fileprivate init(_ command: ClientCommand, from reader: inout WireReader) throws(WireError) {
        switch command {
        case .done: self = try EventConfirmation.answer(from: &reader)
        case .busy:
            var retryAfter: UInt32?
            try reader.endedFields { (tag, value) throws(WireError) in
                guard tag == Tag.retryAfter else { return false }
                retryAfter = try value.uint32("retry after")
                return true
            }
            self = .busy(retryAfter: try required(retryAfter, "retry after"))
        case .refused: self = .refused(try ClientRefusal(from: &reader))
        case .notFound:
            try reader.endedFields { (_, _) throws(WireError) in false }
            self = .notFound
        case .effects:
            let (records, more) = try reader.page { (value) throws(WireError) in try EffectSummary(from: &value) }
            self = .effects(records, more: more)
        case .letters:
            let (records, more) = try reader.page { (value) throws(WireError) in try DeadLetterSummary(from: &value) }
            self = .letters(records, more: more)
        case .letter:
            let (letter, payload) = try reader.recordAndPayload { (value) throws(WireError) in
                try DeadLetterSummary(from: &value)
            }
            self = .letter(letter, effect: payload)
        case .quarantine:
            let (records, more) = try reader.page { (value) throws(WireError) in try QuarantineSummary(from: &value) }
            self = .quarantine(records, more: more)
        case .quarantined:
            let (status, payload) = try reader.recordAndPayload { (value) throws(WireError) in
                try QuarantineSummary(from: &value)
            }
            self = .quarantined(status, event: payload)
        case .status:
            let (records, _) = try reader.page { (value) throws(WireError) in try FleetStatus(from: &value) }
            self = .status(try required(records.last, "status"))
        case .effect:
            let (effect, payload) = try reader.recordAndPayload { (value) throws(WireError) in
                try EffectSummary(from: &value)
            }
            self = .effect(effect, payload: payload)
        case .checked: self = .checked(try reader.payloadOnly())
        case .loops: self = try Self.loops(from: &reader)
        case .model:
            let (summary, payload) = try reader.recordAndPayload { (value) throws(WireError) in
                try ModelSummary(from: &value)
            }
            self = .model(summary, model: payload)
        case .unchanged:
            try reader.endedFields { (_, _) throws(WireError) in false }
            self = .unchanged
        case .history: self = try Self.history(from: &reader)
        case .schema:
            var json: [UInt8]?
            try reader.endedFields { (tag, value) throws(WireError) in
                guard tag == Tag.payload else { return false }
                json = try value.block("payload")
                return true
            }
            self = .schema(try required(json, "payload"))
        case .moved:
            var endpoint: String?
            var shards: [ClusterMap.Shard] = []
            try reader.endedFields { (tag, value) throws(WireError) in
                switch tag {
                case Tag.endpoint: endpoint = try value.endpoint("endpoint")
                case Tag.shard:
                    guard shards.count < ClusterMap.maximumShards else {
                        throw WireError(.invalidField, "more than \(ClusterMap.maximumShards) shards")
                    }
                    shards.append(try ClusterMap.Shard(from: &value))
                default: return false
                }
                return true
            }
            self = .moved(endpoint: endpoint, map: ClusterMap(shards))
        case .send, .listEffects, .listLetters, .showLetter, .retryLetter, .dropLetter, .listQuarantine,
            .showQuarantine, .release, .askStatus, .showEffect, .checkEvent, .listLoops, .readModel,
            .watchModel, .readHistory, .readSchema:
            throw WireError(.unknownCommand, "\(command) is not said by coordinators")
        }
    }
}

extension ClientAnswer {
    private static func loops(from reader: inout WireReader) throws(WireError) -> Self {
        var records: [LoopSummary] = []
        var next: LoopID?
        try reader.endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.record: records.append(try LoopSummary(from: &value))
            case Tag.next: next = try value.loop()
            default: return false
            }
            return true
        }
        return .loops(records, next: next)
    }

    private static func history(from reader: inout WireReader) throws(WireError) -> Self {
        var page = HistoryPage([], first: nil, more: false)
        try reader.endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.record: page.entries.append(try HistoryEntry(from: &value))
            case Tag.more: page.more = try value.flag("more")
            case Tag.first: page.first = try value.uint64("first")
            default: return false
            }
            return true
        }
        return .history(page)
    }
}

extension ClientRefusal {
    fileprivate init(from reader: inout WireReader) throws(WireError) {
        var code: UInt8?
        var reason = ""
        try reader.endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.code: code = try value.uint8("code")
            case Tag.reason: reason = try value.reason("reason")
            default: return false
            }
            return true
        }
        self.init(Code(rawValue: try required(code, "code")), reason)
    }
}

extension Payload {
    fileprivate func writeFields(to writer: inout ByteWriter) {
        writer.field(Tag.kind) { kind.write(to: &$0) }
        writer.field(Tag.payload) { $0.block(bytes) }
    }
}

extension WireReader {
    fileprivate mutating func page<Record>(
        _ read: (inout WireReader) throws(WireError) -> Record
    ) throws(WireError) -> (records: [Record], more: Bool) {
        var records: [Record] = []
        var more = false
        try endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.record: records.append(try read(&value))
            case Tag.more: more = try value.flag("more")
            default: return false
            }
            return true
        }
        return (records, more)
    }

    fileprivate mutating func payloadOnly() throws(WireError) -> Payload {
        var kind: PayloadKind?
        var bytes: [UInt8]?
        try endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.kind: kind = try PayloadKind(from: &value)
            case Tag.payload: bytes = try value.block("payload")
            default: return false
            }
            return true
        }
        return Payload(kind: try required(kind, "kind"), bytes: try required(bytes, "payload"))
    }

    fileprivate mutating func recordAndPayload<Record>(
        _ read: (inout WireReader) throws(WireError) -> Record
    ) throws(WireError) -> (Record, Payload) {
        var record: Record?
        var kind: PayloadKind?
        var bytes: [UInt8]?
        try endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.record: record = try read(&value)
            case Tag.kind: kind = try PayloadKind(from: &value)
            case Tag.payload: bytes = try value.block("payload")
            default: return false
            }
            return true
        }
        let payload = Payload(kind: try required(kind, "kind"), bytes: try required(bytes, "payload"))
        return (try required(record, "record"), payload)
    }
}
