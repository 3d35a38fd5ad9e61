package import MobiusWire

/// The pending effects of a snapshot as bytes, for stores that keep them in one value.
///
/// Numbers are unsigned LEB128 (a time is its 64 bits), byte strings have their length before them. A store numbers the
/// payload kinds it has seen, because a kind's three strings would outweigh a small effect. Their loop is not written:
///
///     pending  = count *(sequence index flags [reported] asked [due] [fired] [failures] [started] [round] kind content)
///     reported = number epoch attempt       ; the newest report applied, and of which attempt
///     started  = epoch attempt
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
        static let all = Parts(rawValue: 63)

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
            self = parts
        }
    }

    /// Appends the coding of pending effects.
    package static func append<Failure>(
        _ pending: [PendingEffect], to bytes: inout [UInt8], numbering: (PayloadKind) throws(Failure) -> UInt64
    ) throws(Failure) {
        ByteWriter.append(UInt64(pending.count), to: &bytes)
        for one in pending {
            ByteWriter.append(one.id.sequence, to: &bytes)
            ByteWriter.append(UInt64(one.id.index), to: &bytes)
            ByteWriter.append(Parts(of: one).rawValue, to: &bytes)
            if let reported = one.reported {
                ByteWriter.append(UInt64(reported.number), to: &bytes)
                ByteWriter.append(reported.attempt.attempt, to: &bytes)
            }
            ByteWriter.append(one.asked, to: &bytes)
            if let due = one.due { ByteWriter.append(due, to: &bytes) }
            if let fired = one.fired { ByteWriter.append(fired, to: &bytes) }
            if one.failures > 0 { ByteWriter.append(UInt64(one.failures), to: &bytes) }
            if let started = one.started { ByteWriter.append(started, to: &bytes) }
            if one.round > 0 { ByteWriter.append(UInt64(one.round), to: &bytes) }
            try append(one.effect, to: &bytes, numbering: numbering)
        }
    }

    /// Reads the pending effects of `loop`.
    ///
    /// - Throws: ``JournalError`` with code `damaged` for any bytes that are no such list; what `kind` throws.
    package static func pending(
        of loop: LoopID, from bytes: [UInt8], kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) -> [PendingEffect] {
        var reader = ByteReader(bytes)
        var pending: [PendingEffect] = []
        for _ in 0..<(try reader.readShortNumber()) {
            let sequence = try reader.readNumber()
            let id = EffectID(loop: loop, sequence: sequence, index: try reader.readShortNumber())
            var one = PendingEffect(id: id, effect: Payload(kind: PayloadKind(type: ""), bytes: []))
            try readParts(of: &one, from: &reader)
            one.effect = try payload(from: &reader, kind: kind)
            pending.append(one)
        }
        try reader.finish()
        return pending
    }

    private static func readParts(of one: inout PendingEffect, from reader: inout ByteReader) throws(JournalError) {
        let parts = Parts(rawValue: try reader.readNumber())
        guard parts.isSubset(of: .all) else {
            throw JournalError(.damaged, "A pending effect in the journal has parts that are not known.")
        }
        if parts.contains(.reported) { one.reported = try report(on: one.id, from: &reader) }
        one.asked = try reader.readTime()
        if parts.contains(.due) { one.due = try reader.readTime() }
        if parts.contains(.fired) { one.fired = try reader.readTime() }
        if parts.contains(.failures) { one.failures = try reader.readShortNumber() }
        if parts.contains(.started) { one.started = try reader.readAttempt() }
        if parts.contains(.round) { one.round = try reader.readShortNumber() }
    }

    private static func report(on effect: EffectID, from reader: inout ByteReader) throws(JournalError) -> ReportID? {
        let number = try reader.readShortNumber()
        guard number > 0 else { return nil }
        return ReportID(attempt: AttemptID(effect: effect, attempt: try reader.readAttempt()), number: number)
    }

    private static func append<Failure>(
        _ payload: Payload, to bytes: inout [UInt8], numbering: (PayloadKind) throws(Failure) -> UInt64
    ) throws(Failure) {
        ByteWriter.append(try numbering(payload.kind), to: &bytes)
        ByteWriter.append(payload.bytes, to: &bytes)
    }

    private static func payload(
        from reader: inout ByteReader, kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) -> Payload {
        let number = try reader.readNumber()
        return Payload(kind: try kind(number), bytes: try reader.readBytes())
    }
}
