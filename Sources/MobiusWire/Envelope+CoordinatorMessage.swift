extension Envelope<CoordinatorMessage> {
    /// Appends the message's one frame to `bytes`, whose other content stays.
    ///
    /// Strings beyond their limit are cut at a character. A report numbered 0 or more than 255 kinds of payload in one
    /// message are programmer errors.
    public func encode(into bytes: inout [UInt8]) {
        var kinds = KindTable()
        if case .effects(_, let orders) = message {
            kinds.add(orders) { $0.effect.kind }
        }
        ByteWriter.append(atMost: Head.length + bodyLength(kinds), to: &bytes) { writer in
            Head(command: message.command, epoch: epoch, session: session).write(to: &writer)
            writeBody(to: &writer, kinds)
        }
    }

    private func bodyLength(_ kinds: KindTable) -> Int {
        switch message {
        case .welcome: Welcome.length
        case .reject(let reason): 2 + reason.utf8.count
        case .effects(_, let orders): 12 + kinds.length + orders.total { $0.length }
        case .ack(let reports): 4 + reports.total { $0.length }
        case .stale(let attempts), .cancel(let attempts): 4 + attempts.total { $0.length }
        case .drain: 1
        case .pulse: 8
        case .resync: 0
        case .moved(let moved): moved.length
        case .wanted: 4
        case .reclaimed: 12
        }
    }

    private func writeBody(to writer: inout ByteWriter, _ kinds: KindTable) {
        switch message {
        case .welcome(let welcome): welcome.write(to: &writer)
        case .reject(let reason): writer.longString(reason)
        case .effects(let sent, let orders):
            writer.uint64(sent)
            kinds.write(to: &writer)
            EffectOrder.write(orders, to: &writer, kinds: kinds)
        case .ack(let reports): ReportID.write(reports, to: &writer)
        case .stale(let attempts), .cancel(let attempts): writer.records(attempts) { $0.write(to: &$1) }
        case .drain(let drain): writer.uint8(drain.rawValue)
        case .pulse(let sent): writer.uint64(sent)
        case .resync: break
        case .moved(let moved): moved.write(to: &writer)
        case .wanted(let effects): writer.uint32(effects)
        case .reclaimed(let number, let total):
            writer.uint32(number)
            writer.uint64(total)
        }
    }

    /// Reads the one frame of a coordinator's message.
    ///
    /// - Parameters:
    ///   - frame: The whole frame, as it came.
    ///   - known: The kinds of most payloads, of which the message then has no copies: so they are quick to compare.
    /// - Throws: ``WireError`` for any bytes that are not exactly one message of a coordinator.
    public init(decoding frame: RawSpan, known: [PayloadKind] = []) throws(WireError) {
        self = try frame.withUnsafeBytes { (bytes) throws(WireError) in
            var reader = WireReader(bytes)
            return try Self(from: &reader, known: known)
        }
    }

    private init(from reader: inout WireReader, known: [PayloadKind]) throws(WireError) {
        let head = try Head(from: &reader)
        let message: CoordinatorMessage
        switch head.command {
        case .welcome: message = .welcome(try Welcome(from: &reader))
        case .reject: message = .reject(try reader.longString("reason"))
        case .effect:
            let sent = try reader.uint64("sent")
            let kinds = try KindTable(from: &reader, known: known)
            message = .effects(
                after: sent,
                try reader.records(ofAtLeast: EffectOrder.minimumLength, "effects") { (reader) throws(WireError) in
                    try EffectOrder(from: &reader, kinds: kinds)
                })
        case .ack:
            message = .ack(
                try reader.records(ofAtLeast: ReportID.minimumLength, "reports") { (reader) throws(WireError) in
                    try ReportID.read(from: &reader)
                })
        case .stale: message = .stale(try reader.attempts())
        case .cancel: message = .cancel(try reader.attempts())
        case .pulse: message = .pulse(sent: try reader.uint64("sent"))
        case .drain:
            let drain = try reader.uint8("drain")
            guard let drain = Drain(rawValue: drain) else { throw WireError(.invalidField, "drain \(drain)") }
            message = .drain(drain)
        case .resync: message = .resync
        case .moved: message = .moved(try Moved(from: &reader))
        case .wanted: message = .wanted(try reader.uint32("wanted"))
        case .reclaimed:
            message = .reclaimed(number: try reader.uint32("number"), total: try reader.uint64("total"))
        case .hello, .credit, .heartbeat, .event, .fail, .draining, .bye, .reclaim:
            throw WireError(.unknownCommand, "\(head.command) is not said by coordinators")
        }
        try reader.end("message")
        self.init(epoch: head.epoch, session: head.session, message: message)
    }
}

extension WireReader {
    fileprivate mutating func attempts() throws(WireError) -> [AttemptID] {
        try records(ofAtLeast: AttemptID.minimumLength, "attempts") { (reader) throws(WireError) in
            try AttemptID.read(from: &reader)
        }
    }
}
