import MobiusCodec

// The same values as bytes that the types say themselves, as an author writes it by hand.

extension Command {
    func encode(to writer: inout PayloadWriter) {
        switch self {
        case .ring(let bell):
            writer.writeCase(1)
            writer.write(bell, at: 1)
        case .stop:
            writer.writeCase(2)
        case .order(let order):
            writer.writeCase(3)
            writer.write(order, at: 1)
        case .report(let id, let text):
            writer.writeCase(4)
            writer.write(id, at: 1)
            writer.write(text, at: 2)
        }
    }

    init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .ring(try reader.read(at: 1))
        case 2: self = .stop
        case 3: self = .order(try reader.read(at: 1))
        case 4: self = .report(id: try reader.read(at: 1), text: try reader.read(at: 2))
        case let number: throw reader.unknownCase(number)
        }
    }
}

extension Command.Order {
    func encode(to writer: inout PayloadWriter) {
        writer.write(id, at: 1)
        writer.write(customer, at: 2)
        writer.write(total, at: 3)
        writer.write(isPaid, at: 4)
        writer.write(note, at: 5)
    }

    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        customer = try reader.read(at: 2)
        total = try reader.read(at: 3)
        isPaid = try reader.read(at: 4)
        note = try reader.read(at: 5)
    }
}

extension Shelf {
    func encode(to writer: inout PayloadWriter) {
        writer.write(books, at: 1)
    }

    init(from reader: inout PayloadReader) throws {
        books = try reader.read(at: 1)
    }
}

extension Shelf.Book {
    func encode(to writer: inout PayloadWriter) {
        writer.write(title, at: 1)
        writer.write(pages, at: 2)
        writer.write(isbn, at: 3)
        writer.write(rating, at: 4)
        writer.write(lentTo, at: 5)
        writer.write(tags, at: 6)
    }

    init(from reader: inout PayloadReader) throws {
        title = try reader.read(at: 1)
        pages = try reader.read(at: 2)
        isbn = try reader.read(at: 3)
        rating = try reader.read(at: 4)
        lentTo = try reader.read(at: 5)
        tags = try reader.read(at: 6)
    }
}

extension Mixture {
    func encode(to writer: inout PayloadWriter) {
        writer.write(name, at: 1)
        writer.write(commands, at: 2)
        writer.write(shelves, at: 3)
        writer.write(readings, at: 4)
        writer.write(counts, at: 5)
        writer.write(names, at: 6)
        writer.write(text, at: 7)
    }

    init(from reader: inout PayloadReader) throws {
        name = try reader.read(at: 1)
        commands = try reader.read(at: 2)
        shelves = try reader.read(at: 3)
        readings = try reader.read(at: 4)
        counts = try reader.read(at: 5)
        names = try reader.read(at: 6)
        text = try reader.read(at: 7)
    }
}

extension Mixture.Reading {
    func encode(to writer: inout PayloadWriter) {
        writer.write(sensor, at: 1)
        writer.write(time, at: 2)
        writer.write(values, at: 3)
        writer.write(isValid, at: 4)
        writer.write(remark, at: 5)
    }

    init(from reader: inout PayloadReader) throws {
        sensor = try reader.read(at: 1)
        time = try reader.read(at: 2)
        values = try reader.read(at: 3)
        isValid = try reader.read(at: 4)
        remark = try reader.read(at: 5)
    }
}
