/// The tags of DONE.
private enum Tag {
    static let repeated: UInt8 = 1
    static let dropped: UInt8 = 40
    static let answerKind: UInt8 = 41
    static let answer: UInt8 = 42
    static let refusal: UInt8 = 43
    static let number: UInt8 = 44
}

extension EventConfirmation {
    func write(to writer: inout ByteWriter) {
        if repeated { writer.field(Tag.repeated) { $0.uint8(1) } }
        switch reply {
        case nil: break
        case .answer(let payload):
            writer.field(Tag.answerKind) { payload.kind.write(to: &$0) }
            writer.field(Tag.answer) { $0.block(payload.bytes) }
        case .refusal(let reason): writer.field(Tag.refusal) { $0.reason(reason) }
        }
        if let number { writer.field(Tag.number) { $0.uint64(number) } }
        writer.endFields()
    }

    /// Writes that an operator dropped the event.
    static func writeDropped(to writer: inout ByteWriter) {
        // For clients that do not know the second field, nothing is left to do.
        writer.field(Tag.repeated) { $0.uint8(1) }
        writer.field(Tag.dropped) { $0.uint8(1) }
        writer.endFields()
    }

    /// Reads DONE: a confirmation, or that an operator dropped the event.
    static func answer(from reader: inout WireReader) throws(WireError) -> ClientAnswer {
        var (repeated, dropped) = (false, false)
        var kind: PayloadKind?
        var bytes: [UInt8]?
        var refusal: String?
        var number: UInt64?
        try reader.endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.repeated: repeated = try value.flag("repeated")
            case Tag.dropped: dropped = try value.flag("dropped")
            case Tag.answerKind: kind = try PayloadKind(from: &value)
            case Tag.answer: bytes = try value.block("answer")
            case Tag.refusal: refusal = try value.reason("refusal")
            case Tag.number: number = try value.uint64("number")
            default: return false
            }
            return true
        }
        if dropped { return .dropped }
        var reply = refusal.map { SenderReply.refusal($0) }
        if reply == nil, let bytes {
            reply = .answer(Payload(kind: try required(kind, "answer's kind"), bytes: bytes))
        }
        return .done(EventConfirmation(repeated: repeated, number: number, reply: reply))
    }
}
