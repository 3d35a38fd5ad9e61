extension Envelope<WorkerMessage> {
    /// Appends the message's one frame to `bytes`, whose other content stays.
    ///
    /// Strings beyond their limit are cut at a character. A report numbered 0, a report without an event that is not
    /// final, or more than 255 kinds of payload in one message are programmer errors.
    public func encode(into bytes: inout [UInt8]) {
        var kinds = KindTable()
        if case .events(_, let reports) = message {
            kinds.add(reports) { $0.event?.kind }
        }
        ByteWriter.append(atMost: Head.length + bodyLength(kinds), to: &bytes) { writer in
            Head(command: message.command, epoch: epoch, session: session).write(to: &writer)
            writeBody(to: &writer, kinds)
        }
    }

    private func bodyLength(_ kinds: KindTable) -> Int {
        switch message {
        case .hello(let hello): hello.length
        case .credit: 8
        case .heartbeat(_, _, let held): 28 + held.total { $0.length }
        case .events(_, let reports): 12 + kinds.length + reports.total { $0.length }
        case .failures(_, let reports): 12 + reports.total { $0.length }
        case .draining(let held): 4 + held.total { $0.length }
        case .bye: 0
        case .reclaim: 12
        }
    }

    private func writeBody(to writer: inout ByteWriter, _ kinds: KindTable) {
        switch message {
        case .hello(let hello): hello.write(to: &writer)
        case .credit(let total): writer.uint64(total)
        case .heartbeat(let credit, let orders, let held):
            writer.uint64(credit)
            writer.uint64(orders.sent)
            writer.uint64(orders.received)
            writer.records(held) { $0.write(to: &$1) }
        case .events(let credit, let reports):
            writer.uint64(credit)
            kinds.write(to: &writer)
            EventReport.write(reports, to: &writer, kinds: kinds)
        case .failures(let credit, let reports):
            writer.uint64(credit)
            writer.records(reports) { $0.write(to: &$1) }
        case .draining(let held): writer.records(held) { $0.write(to: &$1) }
        case .bye: break
        case .reclaim(let number, let credits):
            writer.uint32(number)
            writer.uint64(credits)
        }
    }

    /// Reads the one frame of a worker's message.
    ///
    /// - Parameters:
    ///   - frame: The whole frame, as it came.
    ///   - known: The kinds of most payloads, of which the message then has no copies: so they are quick to compare.
    /// - Throws: ``WireError`` for any bytes that are not exactly one message of a worker.
    public init(decoding frame: RawSpan, known: [PayloadKind] = []) throws(WireError) {
        self = try frame.withUnsafeBytes { (bytes) throws(WireError) in
            var reader = WireReader(bytes)
            return try Self(from: &reader, known: known)
        }
    }

    private init(from reader: inout WireReader, known: [PayloadKind]) throws(WireError) {
        let head = try Head(from: &reader)
        let message: WorkerMessage
        switch head.command {
        case .hello: message = .hello(try Hello(from: &reader))
        case .credit: message = .credit(total: try reader.uint64("credit"))
        case .heartbeat:
            message = .heartbeat(
                creditTotal: try reader.uint64("credit"), orders: try OrderCount(from: &reader),
                held: try reader.heldAttempts())
        case .event:
            let credit = try reader.uint64("credit")
            let kinds = try KindTable(from: &reader, known: known)
            let reports = try reader.records(ofAtLeast: EventReport.minimumLength, "events") {
                (reader) throws(WireError) in try EventReport.read(from: &reader, kinds: kinds)
            }
            message = .events(creditTotal: credit, reports)
        case .fail:
            let credit = try reader.uint64("credit")
            let reports = try reader.records(ofAtLeast: FailureReport.minimumLength, "failures") {
                (reader) throws(WireError) in try FailureReport(from: &reader)
            }
            message = .failures(creditTotal: credit, reports)
        case .draining: message = .draining(held: try reader.heldAttempts())
        case .bye: message = .bye
        case .reclaim:
            message = .reclaim(number: try reader.uint32("number"), credits: try reader.uint64("credits"))
        case .welcome, .reject, .effect, .ack, .stale, .cancel, .pulse, .drain, .resync, .moved, .wanted, .reclaimed:
            throw WireError(.unknownCommand, "\(head.command) is not said by workers")
        }
        try reader.end("message")
        self.init(epoch: head.epoch, session: head.session, message: message)
    }
}

extension WireReader {
    mutating func heldAttempts() throws(WireError) -> [HeldAttempt] {
        try records(ofAtLeast: HeldAttempt.minimumLength, "held") { (reader) throws(WireError) in
            try HeldAttempt(from: &reader)
        }
    }
}
