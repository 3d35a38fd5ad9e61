package import MobiusWire

/// The pending effects of a snapshot as bytes, for stores that keep them in one value.
///
/// Numbers are unsigned LEB128 (a time is its 64 bits), byte strings have their length before them. A store numbers the
/// payload kinds it has seen, because a kind's three strings would outweigh a small effect. Their loop is not written:
///
///     pending  = count *(sequence index flags [reported] asked [due] [fired] [failures] [started] [round] [answered] kind
///                content)
///     reported = number epoch attempt       ; the newest report applied, and of which attempt
///     started  = epoch attempt
///     answered = 0 / 1 kind content / 2 text
///
/// A bit of the flags says whether a part in brackets is there.
package enum PayloadLists {
    private struct Parts: OptionSet {
        let rawValue: UInt64

        static let reported = Parts(rawValue: 1)
        static let due = Parts(rawValue: 2)
        static let fired = Parts(rawValue: 4)
        static let failures = Parts(rawValue: 8)
        static let started = Parts(rawValue: 16)
        static let round = Parts(rawValue: 32)
        static let answered = Parts(rawValue: 64)
        static let all = Parts(rawValue: 127)

        init(rawValue: UInt64) {
            self.rawValue = rawValue
        }

        init(of effect: PendingEffect) {
            var parts: Parts = []
            if effect.reported != nil { parts.insert(.reported) }
            if effect.due != nil { parts.insert(.due) }
            if effect.fired != nil { parts.insert(.fired) }
            if effect.failures > 0 { parts.insert(.failures) }
            if effect.started != nil { parts.insert(.started) }
            if effect.round > 0 { parts.insert(.round) }
            if effect.answered != nil { parts.insert(.answered) }
            self = parts
        }
    }

    /// Appends the coding of pending effects.
    package static func append<Failure>(
        _ pending: [PendingEffect], to bytes: inout [UInt8], numbering: (PayloadKind) throws(Failure) -> UInt64
    ) throws(Failure) {
        try ByteWriter.append(to: &bytes) { (writer) throws(Failure) in
            writer.number(UInt64(pending.count))
            for one in pending {
                writer.number(one.id.sequence)
                writer.number(UInt64(one.id.index))
                writer.number(Parts(of: one).rawValue)
                if let reported = one.reported {
                    writer.number(UInt64(reported.number))
                    writer.attempt(reported.attempt.attempt)
                }
                writer.time(one.asked)
                if let due = one.due { writer.time(due) }
                if let fired = one.fired { writer.time(fired) }
                if one.failures > 0 { writer.number(UInt64(one.failures)) }
                if let started = one.started { writer.attempt(started) }
                if one.round > 0 { writer.number(UInt64(one.round)) }
                switch one.answered?.reply {
                case _ where one.answered == nil: break
                case nil: writer.number(0)
                case .answer(let payload):
                    writer.number(1)
                    writer.number(try numbering(payload.kind))
                    writer.counted(payload.bytes)
                case .refusal(let reason):
                    writer.number(2)
                    writer.counted(reason)
                }
                writer.number(try numbering(one.effect.kind))
                writer.counted(one.effect.bytes)
            }
        }
    }

    /// Reads the pending effects of `loop`.
    ///
    /// - Throws: ``JournalError`` with code `damaged` for any bytes that are no such list; what `kind` throws.
    package static func pending(
        of loop: LoopID, from bytes: [UInt8], kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) -> [PendingEffect] {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(JournalError) in
            var reader = JournalReader(bytes)
            var pending: [PendingEffect] = []
            // A wrong count runs into the end of the bytes: nothing is reserved on its word.
            for _ in 0..<(try reader.shortNumber("count")) {
                let sequence = try reader.number("sequence")
                let id = EffectID(loop: loop, sequence: sequence, index: try reader.shortNumber("index"))
                var one = PendingEffect(id: id, effect: Payload(kind: PayloadKind(type: ""), bytes: []))
                try readParts(of: &one, from: &reader, kind)
                let number = try reader.number("kind")
                one.effect = Payload(kind: try kind(number), bytes: try reader.countedBytes("effect"))
                pending.append(one)
            }
            try reader.end("pending effects")
            return pending
        }
    }

    private static func readParts(
        of one: inout PendingEffect, from reader: inout JournalReader,
        _ kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) {
        let parts = Parts(rawValue: try reader.number("parts"))
        guard parts.isSubset(of: .all) else {
            throw JournalError(.damaged, "A pending effect in the journal has parts that are not known.")
        }
        if parts.contains(.reported) { one.reported = try report(on: one.id, from: &reader) }
        one.asked = try reader.time()
        if parts.contains(.due) { one.due = try reader.time() }
        if parts.contains(.fired) { one.fired = try reader.time() }
        if parts.contains(.failures) { one.failures = try reader.shortNumber("failures") }
        if parts.contains(.started) { one.started = try reader.attempt() }
        if parts.contains(.round) { one.round = try reader.shortNumber("round") }
        if parts.contains(.answered) { one.answered = try reply(from: &reader, kind) }
    }

    private static func reply(
        from reader: inout JournalReader, _ kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) -> LoopReply {
        switch try reader.number("reply") {
        case 0: LoopReply(nil)
        case 1:
            LoopReply(
                .answer(Payload(kind: try kind(try reader.number("kind")), bytes: try reader.countedBytes("answer"))))
        case 2: LoopReply(.refusal(try reader.countedText("refusal")))
        default: throw JournalError(.damaged, "A pending effect in the journal has a reply that is not known.")
        }
    }

    private static func report(on effect: EffectID, from reader: inout JournalReader) throws(JournalError) -> ReportID?
    {
        let number = try reader.shortNumber("report")
        guard number > 0 else { return nil }
        return ReportID(attempt: AttemptID(effect: effect, attempt: try reader.attempt()), number: number)
    }
}
