package import MobiusWire

/// Effects and pending effects as bytes, for stores that keep one value per row.
///
/// Numbers are unsigned LEB128 (a time is its 64 bits), byte strings follow their length. A store numbers payload
/// kinds, because a kind's three strings would be larger than a small effect:
///
///     effects = count *(kind content) [dues]
///     dues    = 1*(index time)              ; of the timers among them, to the end
package enum PayloadLists {
    /// Appends the coding of `effects` and their due times; an empty list is one zero byte.
    package static func append<Failure>(
        _ effects: [Payload], dues: [TimerDue] = [], to bytes: inout [UInt8],
        numbering: (PayloadKind) throws(Failure) -> UInt64
    ) throws(Failure) {
        ByteWriter.append(UInt64(effects.count), to: &bytes)
        for effect in effects {
            try append(effect, to: &bytes, numbering: numbering)
        }
        for due in dues {
            ByteWriter.append(UInt64(due.index), to: &bytes)
            ByteWriter.append(due.due, to: &bytes)
        }
    }

    /// Reads a list of effects and due times.
    ///
    /// - Throws: ``JournalError`` with code `damaged` for any bytes that are no such list; what `kind` throws.
    package static func effects(
        from bytes: [UInt8], kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) -> (effects: [Payload], dues: [TimerDue]) {
        var reader = ByteReader(bytes)
        var effects: [Payload] = []
        // A wrong count runs into the end of the bytes: no memory is reserved for it.
        for _ in 0..<(try reader.readShortNumber()) {
            effects.append(try payload(from: &reader, kind: kind))
        }
        var dues: [TimerDue] = []
        while !reader.isAtEnd {
            dues.append(TimerDue(index: try reader.readShortNumber(), due: try reader.readTime()))
        }
        return (effects, dues)
    }

    static func append<Failure>(
        _ payload: Payload, to bytes: inout [UInt8], numbering: (PayloadKind) throws(Failure) -> UInt64
    ) throws(Failure) {
        ByteWriter.append(try numbering(payload.kind), to: &bytes)
        ByteWriter.append(payload.bytes, to: &bytes)
    }

    static func payload(
        from reader: inout ByteReader, kind: (UInt64) throws(JournalError) -> PayloadKind
    ) throws(JournalError) -> Payload {
        let number = try reader.readNumber()
        return Payload(kind: try kind(number), bytes: try reader.readBytes())
    }
}
