public import MobiusCodec

// What the bank's messages are as bytes, where its coordinator is told to use the fast coding.

extension Bank.Event: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        switch self {
        case .accountOpened(let value1, let value2):
            writer.writeCase(1)
            writer.write(value1, at: 1)
            writer.write(value2, at: 2)
        case .transferRequested(let value1):
            writer.writeCase(2)
            writer.write(value1, at: 1)
        case .booked(let value1, let value2):
            writer.writeCase(3)
            writer.write(value1, at: 1)
            writer.write(value2, at: 2)
        case .declined(let value1, let value2):
            writer.writeCase(4)
            writer.write(value1, at: 1)
            writer.write(value2, at: 2)
        case .unclear(let value1, let value2):
            writer.writeCase(5)
            writer.write(value1, at: 1)
            writer.write(value2, at: 2)
        case .letterEnded(let value1, let value2):
            writer.writeCase(6)
            writer.write(value1, at: 1)
            writer.write(value2, at: 2)
        case .statementRequested(let value1):
            writer.writeCase(7)
            writer.write(value1, at: 1)
        case .statementLine(let value1, let value2):
            writer.writeCase(8)
            writer.write(value1, at: 1)
            writer.write(value2, at: 2)
        case .statementFailed(let value1):
            writer.writeCase(9)
            writer.write(value1, at: 1)
        case .auditRequested(let value1):
            writer.writeCase(10)
            writer.write(value1, at: 1)
        case .audited(let value1):
            writer.writeCase(11)
            writer.write(value1, at: 1)
        case .archiveFailed(let value1):
            writer.writeCase(12)
            writer.write(value1, at: 1)
        case .watchFired(let value1):
            writer.writeCase(13)
            writer.write(value1, at: 1)
        case .interestAgreed(let value1):
            writer.writeCase(14)
            writer.write(value1, at: 1)
        case .interestDue(let value1):
            writer.writeCase(15)
            writer.write(value1, at: 1)
        case .interestEnded(let value1):
            writer.writeCase(16)
            writer.write(value1, at: 1)
        case .remittanceRequested(let value1):
            writer.writeCase(17)
            writer.write(value1, at: 1)
        case .remittanceArrived(let value1):
            writer.writeCase(18)
            writer.write(value1, at: 1)
        case .remittanceReturned(let value1):
            writer.writeCase(19)
            writer.write(value1, at: 1)
        case .closed: writer.writeCase(20)
        case .remittanceDelivered(let value1):
            writer.writeCase(21)
            writer.write(value1, at: 1)
        case .remittanceAnswered(let value1, let value2):
            writer.writeCase(22)
            writer.write(value1, at: 1)
            writer.write(value2, at: 2)
        case .childTaken(let value1, let value2):
            writer.writeCase(23)
            writer.write(value1, at: 1)
            writer.write(value2, at: 2)
        case .childLetGo(let value1):
            writer.writeCase(24)
            writer.write(value1, at: 1)
        case .parentEnded: writer.writeCase(25)
        }
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .accountOpened(try reader.read(at: 1), balance: try reader.read(at: 2))
        case 2: self = .transferRequested(try reader.read(at: 1))
        case 3: self = .booked(id: try reader.read(at: 1), hop: try reader.read(at: 2))
        case 4: self = .declined(id: try reader.read(at: 1), hop: try reader.read(at: 2))
        case 5: self = .unclear(id: try reader.read(at: 1), hop: try reader.read(at: 2))
        case 6: self = .letterEnded(id: try reader.read(at: 1), try reader.read(at: 2))
        case 7: self = .statementRequested(try reader.read(at: 1))
        case 8: self = .statementLine(id: try reader.read(at: 1), try reader.read(at: 2))
        case 9: self = .statementFailed(id: try reader.read(at: 1))
        case 10: self = .auditRequested(try reader.read(at: 1))
        case 11: self = .audited(try reader.read(at: 1))
        case 12: self = .archiveFailed(try reader.read(at: 1))
        case 13: self = .watchFired(id: try reader.read(at: 1))
        case 14: self = .interestAgreed(try reader.read(at: 1))
        case 15: self = .interestDue(try reader.read(at: 1))
        case 16: self = .interestEnded(try reader.read(at: 1))
        case 17: self = .remittanceRequested(try reader.read(at: 1))
        case 18: self = .remittanceArrived(try reader.read(at: 1))
        case 19: self = .remittanceReturned(try reader.read(at: 1))
        case 20: self = .closed
        case 21: self = .remittanceDelivered(try reader.read(at: 1))
        case 22: self = .remittanceAnswered(try reader.read(at: 1), try reader.read(at: 2))
        case 23: self = .childTaken(try reader.read(at: 1), ends: try reader.read(at: 2))
        case 24: self = .childLetGo(try reader.read(at: 1))
        case 25: self = .parentEnded
        case let number: throw reader.unknownCase(number)
        }
    }
}

extension Bank.Effect: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        switch self {
        case .book(let value1):
            writer.writeCase(1)
            writer.write(value1, at: 1)
        case .letter(let value1):
            writer.writeCase(2)
            writer.write(value1, at: 1)
        case .statement(let value1):
            writer.writeCase(3)
            writer.write(value1, at: 1)
        case .audit(let value1):
            writer.writeCase(4)
            writer.write(value1, at: 1)
        case .archive(let value1):
            writer.writeCase(5)
            writer.write(value1, at: 1)
        case .watch(let value1):
            writer.writeCase(6)
            writer.write(value1, at: 1)
        case .unwatch(let value1):
            writer.writeCase(7)
            writer.write(value1, at: 1)
        case .interest(let value1):
            writer.writeCase(8)
            writer.write(value1, at: 1)
        case .endInterest(let value1):
            writer.writeCase(9)
            writer.write(value1, at: 1)
        case .answer(let value1):
            writer.writeCase(10)
            writer.write(value1, at: 1)
        case .refuse(let value1):
            writer.writeCase(11)
            writer.write(value1, at: 1)
        case .remit(let value1):
            writer.writeCase(12)
            writer.write(value1, at: 1)
        case .close: writer.writeCase(13)
        case .ask(let value1):
            writer.writeCase(14)
            writer.write(value1, at: 1)
        case .tellAtEnd(let value1):
            writer.writeCase(15)
            writer.write(value1, at: 1)
        case .endAtEnd(let value1):
            writer.writeCase(16)
            writer.write(value1, at: 1)
        case .letGo(let value1):
            writer.writeCase(17)
            writer.write(value1, at: 1)
        }
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .book(try reader.read(at: 1))
        case 2: self = .letter(try reader.read(at: 1))
        case 3: self = .statement(try reader.read(at: 1))
        case 4: self = .audit(try reader.read(at: 1))
        case 5: self = .archive(try reader.read(at: 1))
        case 6: self = .watch(try reader.read(at: 1))
        case 7: self = .unwatch(try reader.read(at: 1))
        case 8: self = .interest(try reader.read(at: 1))
        case 9: self = .endInterest(try reader.read(at: 1))
        case 10: self = .answer(try reader.read(at: 1))
        case 11: self = .refuse(try reader.read(at: 1))
        case 12: self = .remit(try reader.read(at: 1))
        case 13: self = .close
        case 14: self = .ask(try reader.read(at: 1))
        case 15: self = .tellAtEnd(try reader.read(at: 1))
        case 16: self = .endAtEnd(try reader.read(at: 1))
        case 17: self = .letGo(try reader.read(at: 1))
        case let number: throw reader.unknownCase(number)
        }
    }
}

extension Bank.TransferRequest: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(id, at: 1)
        writer.write(route, at: 2)
        writer.write(amount, at: 3)
        writer.write(wantsLetter, at: 4)
        writer.write(isWatched, at: 5)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        route = try reader.read(at: 2)
        amount = try reader.read(at: 3)
        wantsLetter = try reader.read(at: 4)
        isWatched = try reader.read(at: 5)
    }
}

extension Bank.Booking: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(id, at: 1)
        writer.write(hop, at: 2)
        writer.write(from, at: 3)
        writer.write(to, at: 4)
        writer.write(amount, at: 5)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        hop = try reader.read(at: 2)
        from = try reader.read(at: 3)
        to = try reader.read(at: 4)
        amount = try reader.read(at: 5)
    }
}

extension Bank.StatementRequest: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(id, at: 1)
        writer.write(lines, at: 2)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        lines = try reader.read(at: 2)
    }
}

extension Bank.LetterState: FastPayload {}
