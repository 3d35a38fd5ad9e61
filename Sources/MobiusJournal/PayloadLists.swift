package import MobiusWire

/// Effects and pending effects as bytes, for stores that keep one value per row.
///
/// Numbers are unsigned LEB128, byte strings have their length before them. A store numbers the payload kinds it has seen,
/// because a kind's three strings would outweigh a small effect:
///
///     effects = count *(kind content)
///     pending = count *(sequence index reported kind content)
///     reported = 0 / number epoch attempt   ; the newest report applied, and of which attempt
package enum PayloadLists {
    /// Appends the coding of `effects`; an empty list is one zero byte.
    package static func append<Failure>(
        _ effects: [Payload], to bytes: inout [UInt8], numbering: (PayloadKind) throws(Failure) -> UInt64
    ) throws(Failure) {
        ByteWriter.append(UInt64(effects.count), to: &bytes)
        for effect in effects {
            ByteWriter.append(try numbering(effect.kind), to: &bytes)
            ByteWriter.append(effect.bytes, to: &bytes)
        }
    }

    /// Appends the coding of pending effects, whose loop is not written.
    package static func append<Failure>(
        _ pending: [PendingEffect], to bytes: inout [UInt8], numbering: (PayloadKind) throws(Failure) -> UInt64
    ) throws(Failure) {
        ByteWriter.append(UInt64(pending.count), to: &bytes)
        for one in pending {
            ByteWriter.append(one.id.sequence, to: &bytes)
            ByteWriter.append(UInt64(one.id.index), to: &bytes)
            ByteWriter.append(UInt64(one.reported?.number ?? 0), to: &bytes)
            if let attempt = one.reported?.attempt.attempt {
                ByteWriter.append(attempt.epoch, to: &bytes)
                ByteWriter.append(UInt64(attempt.number), to: &bytes)
            }
            ByteWriter.append(try numbering(one.effect.kind), to: &bytes)
            ByteWriter.append(one.effect.bytes, to: &bytes)
        }
    }

    /// Reads a list of effects.
    ///
    /// - Throws: ``JournalError`` with code `damaged` for any bytes that are no such list; what `kind` throws.
    package static func effects(
        from bytes: [UInt8], kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) -> [Payload] {
        var reader = ByteReader(bytes)
        var effects: [Payload] = []
        // A wrong count runs into the end of the bytes: nothing is reserved on its word.
        for _ in 0..<(try reader.readShortNumber()) {
            effects.append(try payload(from: &reader, kind: kind))
        }
        try reader.finish()
        return effects
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
            let index = try reader.readShortNumber()
            let id = EffectID(loop: loop, sequence: sequence, index: index)
            let reported = try report(on: id, from: &reader)
            let effect = try payload(from: &reader, kind: kind)
            pending.append(PendingEffect(id: id, effect: effect, reported: reported))
        }
        try reader.finish()
        return pending
    }

    private static func report(
        on effect: EffectID, from reader: inout ByteReader
    ) throws(JournalError) -> ReportID? {
        let number = try reader.readShortNumber()
        guard number > 0 else { return nil }
        let attempt = Attempt(epoch: try reader.readNumber(), number: try reader.readShortNumber())
        return ReportID(attempt: AttemptID(effect: effect, attempt: attempt), number: number)
    }

    private static func payload(
        from reader: inout ByteReader, kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) -> Payload {
        let number = try reader.readNumber()
        return Payload(kind: try kind(number), bytes: try reader.readBytes())
    }
}
