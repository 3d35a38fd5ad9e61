/// The tags of the fields of all requests.
private enum Tag {
    static let loop: UInt8 = 1
    static let key: UInt8 = 2
    static let kind: UInt8 = 3
    static let event: UInt8 = 4
    static let pool: UInt8 = 5
    static let after: UInt8 = 6
    static let limit: UInt8 = 7
    static let effect: UInt8 = 8
    static let round: UInt8 = 9
    static let drop: UInt8 = 10
    static let sequence: UInt8 = 11
    static let traceparent: UInt8 = 12
    static let existing: UInt8 = 13
    static let prefix: UInt8 = 14
    static let state: UInt8 = 15
    static let seen: UInt8 = 16
    static let first: UInt8 = 17
    static let last: UInt8 = 18
    static let place: UInt8 = 19
    static let at: UInt8 = 30
    static let people: UInt8 = 31
    static let order: UInt8 = 32
    static let shards: UInt8 = 33
    static let sender: UInt8 = 34
}

extension NumberedRequest {
    /// Appends the request's one frame to `bytes`, whose other content stays.
    ///
    /// The number 0, or a key that is empty or longer than ``ClientRequest/maximumKey``, are programmer errors.
    public func encode(into bytes: inout [UInt8]) {
        precondition(number > 0, "Number the requests of a client from 1.")
        ByteWriter.append(to: &bytes) { writer in
            ClientHead(command: request.command, epoch: 0, number: number).write(to: &writer)
            request.write(to: &writer)
            if case .send = request, !traceparent.isEmpty {
                writer.field(Tag.traceparent) { $0.shortString(traceparent) }
            }
            if case .send = request, order != .free { writer.field(Tag.order) { $0.uint8(order.rawValue) } }
            if case .send = request, !sender.isEmpty { writer.field(Tag.sender) { $0.shortString(sender) } }
            if isForPeople, request.asksForPayloads { writer.field(Tag.people) { $0.uint8(1) } }
            if request.isAboutAllLoops, shards > 1 { writer.field(Tag.shards) { $0.uint32(shards) } }
            writer.endFields()
        }
    }

    /// Reads the one frame of a client's request.
    ///
    /// - Throws: ``WireError`` for any bytes that are not exactly one request.
    public init(decoding frame: RawSpan) throws(WireError) {
        self = try frame.withUnsafeBytes { (bytes) throws(WireError) in
            var reader = WireReader(bytes)
            let head = try ClientHead(from: &reader)
            guard head.number > 0 else { throw WireError(.invalidField, "requests count from 1") }
            var traceparent = ""
            var isForPeople = false
            var order = SendOrder.free
            var shards: UInt32 = 1
            var sender = ""
            let request = try ClientRequest(
                head.command, from: &reader, traceparent: &traceparent, isForPeople: &isForPeople, order: &order,
                shards: &shards, sender: &sender)
            try reader.end("request")
            return NumberedRequest(
                number: head.number, request: request, traceparent: traceparent, isForPeople: isForPeople,
                order: order, shards: request.isAboutAllLoops ? shards : 1, sender: sender)
        }
    }

    /// The number of a request that cannot be read further, so that it can be refused; `nil` when not even its head can.
    public static func number(of frame: RawSpan) -> UInt64? {
        frame.withUnsafeBytes { bytes in
            var reader = WireReader(bytes)
            guard let start = try? ClientHead.Start(from: &reader), start.number > 0 else { return nil }
            return start.number
        }
    }
}

extension ClientRequest {
    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .send(let loop, let key, let event, let begins):
            precondition(
                (1...Self.maximumKey).contains(key.utf8.count), "A key has 1 to \(Self.maximumKey) bytes.")
            writer.field(Tag.loop) { $0.shortString(loop.name) }
            writer.field(Tag.key) { $0.shortString(key) }
            writer.field(Tag.kind) { event.kind.write(to: &$0) }
            writer.field(Tag.event) { $0.block(event.bytes) }
            if !begins { writer.field(Tag.existing) { $0.uint8(1) } }
        case .effects(let loop, let pool, let after, let limit):
            if let loop { writer.field(Tag.loop) { $0.shortString(loop.name) } }
            if let pool { writer.field(Tag.pool) { $0.shortString(pool) } }
            if let after { writer.field(Tag.after) { after.write(to: &$0) } }
            if limit > 0 { writer.field(Tag.limit) { $0.uint32(limit) } }
        case .letters(let loop, let after, let limit):
            if let loop { writer.field(Tag.loop) { $0.shortString(loop.name) } }
            if let after { writer.field(Tag.after) { after.write(to: &$0) } }
            if limit > 0 { writer.field(Tag.limit) { $0.uint32(limit) } }
        case .letter(let id), .effect(let id): writer.field(Tag.effect) { id.write(to: &$0) }
        case .check(let loop, let key, let event):
            precondition(
                (1...Self.maximumKey).contains(key.utf8.count), "A key has 1 to \(Self.maximumKey) bytes.")
            writer.field(Tag.loop) { $0.shortString(loop.name) }
            writer.field(Tag.key) { $0.shortString(key) }
            writer.field(Tag.kind) { event.kind.write(to: &$0) }
            writer.field(Tag.event) { $0.block(event.bytes) }
        case .retry(let id, let round), .drop(let id, let round):
            writer.field(Tag.effect) { id.write(to: &$0) }
            if let round { writer.field(Tag.round) { $0.uint32(round) } }
        case .quarantine(let after, let limit):
            if let after { writer.field(Tag.loop) { $0.shortString(after.name) } }
            if limit > 0 { writer.field(Tag.limit) { $0.uint32(limit) } }
        case .quarantined(let loop): writer.field(Tag.loop) { $0.shortString(loop.name) }
        case .release(let loop, let drop, let sequence):
            writer.field(Tag.loop) { $0.shortString(loop.name) }
            if drop { writer.field(Tag.drop) { $0.uint8(1) } }
            if let sequence { writer.field(Tag.sequence) { $0.uint64(sequence) } }
        case .status, .schema: break
        case .loops(let prefix, let state, let after, let limit):
            if let after { writer.field(Tag.loop) { $0.shortString(after.name) } }
            if !prefix.isEmpty { writer.field(Tag.prefix) { $0.shortString(prefix) } }
            if let state { writer.field(Tag.state) { $0.shortString(state.rawValue) } }
            if limit > 0 { writer.field(Tag.limit) { $0.uint32(limit) } }
        case .model(let loop, let at):
            writer.field(Tag.loop) { $0.shortString(loop.name) }
            if let at { writer.field(Tag.at) { $0.uint64(at) } }
        case .watch(let loop, let seen):
            writer.field(Tag.loop) { $0.shortString(loop.name) }
            if let seen { writer.field(Tag.seen) { seen.write(to: &$0) } }
        case .history(let history):
            writer.field(Tag.loop) { $0.shortString(history.loop.name) }
            if let first = history.first { writer.field(Tag.first) { $0.uint64(first) } }
            if let last = history.last { writer.field(Tag.last) { $0.uint64(last) } }
            if let after = history.after { writer.field(Tag.place) { after.write(to: &$0) } }
            if history.limit > 0 { writer.field(Tag.limit) { $0.uint32(history.limit) } }
        }
    }

    fileprivate init(
        _ command: ClientCommand, from reader: inout WireReader, traceparent: inout String, isForPeople: inout Bool,
        order: inout SendOrder, shards: inout UInt32, sender: inout String
    ) throws(WireError) {
        let fields: RequestFields
        switch command {
        case .send:
            fields = try RequestFields(
                [Tag.loop, Tag.key, Tag.kind, Tag.event, Tag.traceparent, Tag.existing, Tag.order, Tag.sender],
                from: &reader)
            traceparent = fields.traceparent
            sender = fields.sender
            order = fields.order
            self = .send(
                loop: try required(fields.loop, "loop"), key: try fields.keyed(), event: try fields.payload(),
                begins: !fields.existing)
        case .listEffects:
            fields = try RequestFields([Tag.loop, Tag.pool, Tag.after, Tag.limit, Tag.shards], from: &reader)
            shards = fields.shards
            self = .effects(loop: fields.loop, pool: fields.pool, after: fields.after, limit: fields.limit)
        case .listLetters:
            fields = try RequestFields([Tag.loop, Tag.after, Tag.limit, Tag.shards], from: &reader)
            shards = fields.shards
            self = .letters(loop: fields.loop, after: fields.after, limit: fields.limit)
        case .showLetter:
            fields = try RequestFields([Tag.effect, Tag.people], from: &reader)
            isForPeople = fields.isForPeople
            self = .letter(try required(fields.effect, "effect"))
        case .retryLetter:
            fields = try RequestFields([Tag.effect, Tag.round], from: &reader)
            self = .retry(try required(fields.effect, "effect"), round: fields.round)
        case .dropLetter:
            fields = try RequestFields([Tag.effect, Tag.round], from: &reader)
            self = .drop(try required(fields.effect, "effect"), round: fields.round)
        case .listQuarantine:
            fields = try RequestFields([Tag.loop, Tag.limit, Tag.shards], from: &reader)
            shards = fields.shards
            self = .quarantine(after: fields.loop, limit: fields.limit)
        case .showQuarantine:
            fields = try RequestFields([Tag.loop, Tag.people], from: &reader)
            isForPeople = fields.isForPeople
            self = .quarantined(try required(fields.loop, "loop"))
        case .release:
            fields = try RequestFields([Tag.loop, Tag.drop, Tag.sequence], from: &reader)
            self = .release(try required(fields.loop, "loop"), drop: fields.drop, sequence: fields.sequence)
        case .askStatus:
            fields = try RequestFields([Tag.shards], from: &reader)
            shards = fields.shards
            self = .status
        case .showEffect:
            fields = try RequestFields([Tag.effect, Tag.people], from: &reader)
            isForPeople = fields.isForPeople
            self = .effect(try required(fields.effect, "effect"))
        case .checkEvent:
            fields = try RequestFields([Tag.loop, Tag.key, Tag.kind, Tag.event], from: &reader)
            self = .check(
                loop: try required(fields.loop, "loop"), key: try fields.keyed(), event: try fields.payload())
        case .listLoops:
            fields = try RequestFields([Tag.loop, Tag.prefix, Tag.state, Tag.limit, Tag.shards], from: &reader)
            shards = fields.shards
            self = .loops(prefix: fields.prefix, state: fields.state, after: fields.loop, limit: fields.limit)
        case .readModel:
            fields = try RequestFields([Tag.loop, Tag.at, Tag.people], from: &reader)
            isForPeople = fields.isForPeople
            self = .model(try required(fields.loop, "loop"), at: fields.at)
        case .watchModel:
            fields = try RequestFields([Tag.loop, Tag.seen, Tag.people], from: &reader)
            isForPeople = fields.isForPeople
            self = .watch(try required(fields.loop, "loop"), seen: fields.seen)
        case .readHistory:
            fields = try RequestFields(
                [Tag.loop, Tag.first, Tag.last, Tag.place, Tag.limit, Tag.people], from: &reader)
            isForPeople = fields.isForPeople
            self = .history(
                HistoryRequest(
                    try required(fields.loop, "loop"), first: fields.first, last: fields.last, after: fields.place,
                    limit: fields.limit))
        case .readSchema:
            fields = try RequestFields([], from: &reader)
            self = .schema
        case .done, .busy, .refused, .notFound, .effects, .letters, .letter, .quarantine, .quarantined, .status,
            .effect, .checked, .loops, .model, .unchanged, .history, .schema, .moved:
            throw WireError(.unknownCommand, "\(command) is not said by clients")
        }
    }
}

/// What the fields of a request held; those that its command does not know are skipped, as tags of a later version are.
private struct RequestFields {
    var loop: LoopID?
    var key: String?
    var kind: PayloadKind?
    var event: [UInt8]?
    var pool: String?
    var after: EffectID?
    var limit: UInt32 = 0
    var effect: EffectID?
    var round: UInt32?
    var drop = false
    var sequence: UInt64?
    var traceparent = ""
    var existing = false
    var prefix = ""
    var state: LoopSummary.State?
    var seen: ModelVersion?
    var first: UInt64?
    var last: UInt64?
    var place: HistoryPlace?
    var at: UInt64?
    var isForPeople = false
    var order = SendOrder.free
    var shards: UInt32 = 1
    var sender = ""

    init(_ known: [UInt8], from reader: inout WireReader) throws(WireError) {
        var fields = Self()
        try reader.endedFields { (tag, value) throws(WireError) in
            guard known.contains(tag) else { return false }
            try fields.read(tag, from: &value)
            return true
        }
        self = fields
    }

    private init() {}

    private mutating func read(_ tag: UInt8, from value: inout WireReader) throws(WireError) {
        switch tag {
        case Tag.loop: loop = try value.loop()
        case Tag.key: key = try value.shortString("key")
        case Tag.kind: kind = try PayloadKind(from: &value)
        case Tag.event: event = try value.block("event")
        case Tag.pool: pool = try value.shortString("pool")
        case Tag.after: after = try EffectID(from: &value)
        case Tag.limit: limit = try value.uint32("limit")
        case Tag.effect: effect = try EffectID(from: &value)
        case Tag.round: round = try value.uint32("round")
        case Tag.drop: drop = try value.flag("drop")
        case Tag.traceparent: traceparent = try value.shortString("traceparent")
        case Tag.prefix: prefix = try value.shortString("prefix")
        case Tag.state: state = LoopSummary.State(rawValue: try value.shortString("state"))
        case Tag.seen: seen = try ModelVersion(from: &value)
        case Tag.first: first = try value.uint64("from")
        case Tag.last: last = try value.uint64("to")
        case Tag.place: place = try HistoryPlace(from: &value)
        case Tag.at: at = try value.uint64("at")
        case Tag.order:
            guard let known = SendOrder(rawValue: try value.uint8("order")) else {
                throw WireError(.invalidField, "order must be 0, 1 or 2")
            }
            order = known
        case Tag.shards: shards = max(1, try value.uint32("shards"))
        case Tag.sender: sender = try value.shortString("sender")
        case Tag.people: isForPeople = try value.flag("for people")
        case Tag.existing: existing = try value.flag("existing")
        default: sequence = try value.uint64("sequence")
        }
    }

    func keyed() throws(WireError) -> String {
        let key = try required(key, "key")
        guard !key.isEmpty else {
            throw WireError(.invalidField, "key must have 1 to \(ClientRequest.maximumKey) bytes")
        }
        return key
    }

    func payload() throws(WireError) -> Payload {
        Payload(kind: kind ?? PayloadKind(type: ""), bytes: try required(event, "event"))
    }
}
