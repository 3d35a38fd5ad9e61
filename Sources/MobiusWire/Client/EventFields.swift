/// SEND and CHECK-EVENT, which carry an event of any size and in any coding: tagged fields in binary.
struct EventFields {
    private enum Tag {
        static let loop: UInt8 = 1
        static let key: UInt8 = 2
        static let kind: UInt8 = 3
        static let event: UInt8 = 4
        static let traceparent: UInt8 = 12
        static let existing: UInt8 = 13
        static let order: UInt8 = 32
        static let token: UInt8 = 34
    }

    private var loop: LoopID?
    private var key = ""
    private var event = Payload(kind: PayloadKind(type: ""), bytes: [])
    private var traceparent = ""
    private var existing = false
    private var order = SendOrder.free
    private var token = ""

    /// The fields of a request that carries an event; `nil` for any other.
    init?(_ numbered: NumberedRequest) {
        switch numbered.request {
        case .send(let loop, let key, let event, let begins):
            (self.loop, self.key, self.event, existing) = (loop, key, event, !begins)
            (traceparent, order) = (numbered.traceparent, numbered.order)
        case .check(let loop, let key, let event): (self.loop, self.key, self.event) = (loop, key, event)
        default: return nil
        }
        token = numbered.token
        precondition(
            (1...ClientRequest.maximumKey).contains(key.utf8.count),
            "A key has 1 to \(ClientRequest.maximumKey) bytes.")
    }

    func write(to writer: inout ByteWriter) {
        if let loop { writer.field(Tag.loop) { $0.shortString(loop.name) } }
        writer.field(Tag.key) { $0.shortString(key) }
        writer.field(Tag.kind) { event.kind.write(to: &$0) }
        writer.field(Tag.event) { $0.block(event.bytes) }
        if existing { writer.field(Tag.existing) { $0.uint8(1) } }
        if !traceparent.isEmpty { writer.field(Tag.traceparent) { $0.shortString(traceparent) } }
        if order != .free { writer.field(Tag.order) { $0.uint8(order.rawValue) } }
        if !token.isEmpty { writer.field(Tag.token) { $0.shortString(token) } }
        writer.endFields()
    }

    init(from reader: inout WireReader) throws(WireError) {
        var fields = Self()
        var (key, kind, bytes): (String?, PayloadKind?, [UInt8]?)
        try reader.endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.loop: fields.loop = try value.loop()
            case Tag.key: key = try value.shortString("key")
            case Tag.kind: kind = try PayloadKind(from: &value)
            case Tag.event: bytes = try value.block("event")
            case Tag.traceparent: fields.traceparent = try value.shortString("traceparent")
            case Tag.existing: fields.existing = try value.flag("existing")
            case Tag.token: fields.token = try value.shortString("token")
            case Tag.order:
                guard let order = SendOrder(rawValue: try value.uint8("order")) else {
                    throw WireError(.invalidField, "order must be 0, 1 or 2")
                }
                fields.order = order
            default: return false
            }
            return true
        }
        fields.key = try required(key, "key")
        guard !fields.key.isEmpty else {
            throw WireError(.invalidField, "key must have 1 to \(ClientRequest.maximumKey) bytes")
        }
        fields.event = Payload(kind: kind ?? PayloadKind(type: ""), bytes: try required(bytes, "event"))
        self = fields
    }

    private init() {}

    /// The request of a command, without its number.
    func request(_ command: ClientCommand) throws(WireError) -> NumberedRequest {
        let loop = try required(loop, "loop")
        guard command == .send else {
            return NumberedRequest(number: 0, request: .check(loop: loop, key: key, event: event), token: token)
        }
        return NumberedRequest(
            number: 0, request: .send(loop: loop, key: key, event: event, begins: !existing),
            traceparent: traceparent, order: order, token: token)
    }
}

// What SEND, CHECK-EVENT and DONE have in common.

extension PayloadKind {
    func write(to writer: inout ByteWriter) {
        writer.shortString(type)
        writer.uint16(version)
        writer.shortString(contentType)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            type: try reader.shortString("type"), version: try reader.uint16("type version"),
            contentType: try reader.shortString("content type"))
    }
}

extension ByteWriter {
    /// A sentence for people, cut to ``ClientAnswer/maximumReason``.
    mutating func reason(_ value: String) {
        longString(value.cut(toBytes: ClientAnswer.maximumReason))
    }
}

extension WireReader {
    mutating func reason(_ field: StaticString) throws(WireError) -> String {
        try longString(field).cut(toBytes: ClientAnswer.maximumReason)
    }

    mutating func flag(_ field: StaticString) throws(WireError) -> Bool {
        let value = try uint8(field)
        guard value <= 1 else { throw WireError(.invalidField, "\(field) is neither 0 nor 1") }
        return value == 1
    }
}

/// The value of a field that must have come.
func required<Value>(_ value: Value?, _ field: StaticString) throws(WireError) -> Value {
    guard let value else { throw WireError(.missingField, "\(field)") }
    return value
}
