// How records become bytes. The grammar is in MobiusWire.docc/Protocol.md. `minimumLength` is the fewest bytes of any
// record, `length` the most bytes of this one.

extension AttemptID {
    static let minimumLength = 26

    var length: Int { 25 + effect.loop.name.utf8.count }

    @inline(__always)  // a call would be handed a copy, here and below
    func write(to writer: inout ByteWriter) {
        writer.loop(effect.loop)
        writer.uint64(effect.sequence)
        writer.uint32(effect.index)
        writer.uint64(attempt.epoch)
        writer.uint32(attempt.number)
    }

    // A function, not an initialiser: a structure whose making may throw is copied at the end of that.
    static func read(from reader: inout WireReader) throws(WireError) -> AttemptID {
        let loop = try reader.loop()
        let effect = EffectID(loop: loop, sequence: try reader.uint64("sequence"), index: try reader.uint32("index"))
        return AttemptID(
            effect: effect,
            attempt: Attempt(epoch: try reader.uint64("epoch of attempt"), number: try reader.uint32("attempt")))
    }
}

extension ReportID {
    static let minimumLength = AttemptID.minimumLength + 4

    var length: Int { attempt.length + 4 }

    @inline(__always)
    func write(to writer: inout ByteWriter) {
        precondition(number > 0, "Number the reports of an attempt from 1.")
        attempt.write(to: &writer)
        writer.uint32(number)
    }

    /// Writes records behind their number, as ``EffectOrder`` does.
    static func write(_ records: [ReportID], to writer: inout ByteWriter) {
        writer.uint32(UInt32(records.count))
        let records = records.span
        for position in records.indices { records[position].write(to: &writer) }
    }

    static func read(from reader: inout WireReader) throws(WireError) -> ReportID {
        let attempt = try AttemptID.read(from: &reader)
        let number = try reader.uint32("report")
        guard number > 0 else { throw WireError(.invalidField, "reports count from 1") }
        return ReportID(attempt: attempt, number: number)
    }
}

extension HeldAttempt {
    static let minimumLength = AttemptID.minimumLength + 4

    var length: Int { id.length + 4 }

    func write(to writer: inout ByteWriter) {
        id.write(to: &writer)
        writer.uint32(progressAge)
    }

    init(from reader: inout WireReader) throws(WireError) {
        id = try AttemptID.read(from: &reader)
        progressAge = try reader.uint32("progress age")
    }
}

extension OrderCount {
    init(from reader: inout WireReader) throws(WireError) {
        let sent = try reader.uint64("sent")
        let received = try reader.uint64("received")
        guard received <= sent else {
            throw WireError(.invalidField, "\(received) orders received of \(sent) that were sent")
        }
        self.init(sent: sent, received: received)
    }
}

extension EffectOrder {
    static let minimumLength = AttemptID.minimumLength + 10

    var length: Int { id.length + 10 + traceparent.utf8.count + effect.bytes.count }

    /// Writes records behind their number.
    // Part by part, where they are: a record as a whole would be copied.
    static func write(_ records: [EffectOrder], to writer: inout ByteWriter, kinds: KindTable) {
        writer.uint32(UInt32(records.count))
        let records = records.span
        for position in records.indices {
            records[position].id.write(to: &writer)
            writer.uint32(records[position].timeout)
            let hasTrace = !records[position].traceparent.isEmpty
            if hasTrace { writer.shortString(records[position].traceparent) } else { writer.uint8(0) }
            records[position].effect.write(to: &writer, kinds: kinds)
        }
    }

    init(from reader: inout WireReader, kinds: KindTable) throws(WireError) {
        // In one step: a structure that is filled piece by piece is copied at the end.
        self.init(
            id: try AttemptID.read(from: &reader), timeout: try reader.uint32("timeout"),
            traceparent: try reader.shortString("traceparent"),
            effect: try Payload.read(from: &reader, kinds, "effect"))
    }
}

extension EventReport {
    static let minimumLength = ReportID.minimumLength + 1

    private static let finalFlag: UInt8 = 1
    private static let payloadFlag: UInt8 = 2
    private static let traceFlag: UInt8 = 4

    var length: Int { id.length + 7 + (event?.bytes.count ?? 0) + traceparent.utf8.count }

    /// Writes records behind their number.
    static func write(_ records: [EventReport], to writer: inout ByteWriter, kinds: KindTable) {
        writer.uint32(UInt32(records.count))
        let records = records.span
        for position in records.indices {
            let (final, hasEvent) = (records[position].final, records[position].event != nil)
            let hasTrace = !records[position].traceparent.isEmpty
            precondition(final || hasEvent, "A report without an event must be the final one of its attempt.")
            records[position].id.write(to: &writer)
            writer.uint8((final ? finalFlag : 0) | (hasEvent ? payloadFlag : 0) | (hasTrace ? traceFlag : 0))
            if hasTrace { writer.shortString(records[position].traceparent) }
            records[position].event?.write(to: &writer, kinds: kinds)
        }
    }

    /// The placeholder for a report that is to be filled in.
    package static let blank = EventReport(
        id: ReportID(
            attempt: AttemptID(
                effect: EffectID(loop: .main, sequence: 0, index: 0), attempt: Attempt(epoch: 0, number: 0)),
            number: 0),
        final: false, event: nil)

    static func read(from reader: inout WireReader, kinds: borrowing KindTable) throws(WireError) -> EventReport {
        let id = try ReportID.read(from: &reader)
        let flags = try reader.uint8("flags")
        guard flags < 8, flags & (finalFlag | payloadFlag) != 0 else {
            throw WireError(.invalidField, "flags \(flags) of an event")
        }
        let traceparent = flags & traceFlag != 0 ? try reader.shortString("traceparent") : ""
        let event = flags & payloadFlag != 0 ? try Payload.read(from: &reader, kinds, "event") : nil
        return EventReport(id: id, final: flags & finalFlag != 0, traceparent: traceparent, event: event)
    }
}

extension Payload {
    @inline(__always)
    fileprivate func write(to writer: inout ByteWriter, kinds: KindTable) {
        writer.uint8(kinds.index(of: kind))
        writer.block(bytes)
    }

    fileprivate static func read(
        from reader: inout WireReader, _ kinds: borrowing KindTable, _ field: StaticString
    ) throws(WireError) -> Payload {
        Payload(kind: try kinds.kind(at: reader.uint8("kind")), bytes: try reader.block(field))
    }
}

extension FailureReport {
    static let minimumLength = ReportID.minimumLength + 7

    var length: Int { id.length + 7 + reason.utf8.count }

    func write(to writer: inout ByteWriter) {
        id.write(to: &writer)
        writer.uint8(retryable ? 1 : 0)
        writer.uint32(delay)
        writer.longString(reason.cut(toBytes: Self.maximumReason))
    }

    init(from reader: inout WireReader) throws(WireError) {
        let id = try ReportID.read(from: &reader)
        let retryable = try reader.uint8("retryable")
        guard retryable <= 1 else { throw WireError(.invalidField, "retryable is neither 0 nor 1") }
        self.init(
            id: id, retryable: retryable == 1, delay: try reader.uint32("delay"),
            reason: try reader.longString("reason"))
    }
}
