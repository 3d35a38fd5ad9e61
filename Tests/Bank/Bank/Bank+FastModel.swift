public import MobiusCodec

// The same of the bank's model.

extension Bank.Model: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(balances, at: 1)
        writer.write(deposited, at: 2)
        writer.write(transfers, at: 3)
        writer.write(letters, at: 4)
        writer.write(statements, at: 5)
        writer.write(audits, at: 6)
        writer.write(unarchived, at: 7)
        writer.write(watches, at: 8)
        writer.write(interest, at: 9)
        writer.write(events, at: 10)
        writer.write(surprises, at: 11)
        writer.write(remitted, at: 12)
        writer.write(received, at: 13)
        writer.write(sent, at: 14)
        writer.write(lastReceived, at: 15)
        writer.write(hasClosed, at: 16)
        writer.write(asked.sorted(), at: 17)
        writer.write(answers, at: 18)
        writer.write(unanswered.sorted(), at: 19)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        self.init()
        balances = try reader.read(at: 1)
        deposited = try reader.read(at: 2)
        transfers = try reader.read(at: 3)
        letters = try reader.read(at: 4)
        statements = try reader.read(at: 5)
        audits = try reader.read(at: 6)
        unarchived = try reader.read(at: 7)
        watches = try reader.read(at: 8)
        interest = try reader.read(at: 9)
        events = try reader.read(at: 10)
        surprises = try reader.read(at: 11)
        remitted = try reader.read(at: 12)
        received = try reader.read(at: 13)
        sent = try reader.read(at: 14)
        lastReceived = try reader.read(at: 15)
        hasClosed = try reader.read(at: 16)
        let pending: [String] = try reader.read(at: 17)
        asked = Set(pending)
        answers = try reader.read(at: 18)
        let unclear: [String] = try reader.read(at: 19)
        unanswered = Set(unclear)
    }
}

extension Bank.Transfer: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(request, at: 1)
        writer.write(booked, at: 2)
        writer.write(state, at: 3)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        request = try reader.read(at: 1)
        booked = try reader.read(at: 2)
        state = try reader.read(at: 3)
    }
}

extension Bank.Interest: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(times, at: 1)
        writer.write(hasEnded, at: 2)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        times = try reader.read(at: 1)
        hasEnded = try reader.read(at: 2)
    }
}

extension Bank.Statement: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(wanted, at: 1)
        writer.write(lines, at: 2)
        writer.write(hasFailed, at: 3)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        wanted = try reader.read(at: 1)
        lines = try reader.read(at: 2)
        hasFailed = try reader.read(at: 3)
    }
}

extension Bank.TransferState: FastPayload {}
