import MobiusCodec

/// A struct as it was first, and after one change each.
enum Evolving {
    struct First: Codable, FastPayload {
        var id: Int
        var name: String

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
        }
    }

    struct WithOptional: Codable, FastPayload {
        var id: Int
        var name: String
        var extra: Int?

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
            writer.write(extra, at: 3)
        }
    }

    struct WithRequired: Codable, FastPayload {
        var id: Int
        var name: String
        var extra: Int

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
            writer.write(extra, at: 3)
        }
    }

    struct WithDefault: Codable, FastPayload {
        var id: Int
        var name: String
        var extra: Int = 7

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
            writer.write(extra, at: 3)
        }
    }

    struct Renamed: Codable, FastPayload {
        var id: Int
        var title: String

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(title, at: 2)
        }
    }

    struct Shorter: Codable, FastPayload {
        var id: Int

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
        }
    }

    struct Reordered: Codable, FastPayload {
        var name: String
        var id: Int

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
        }
    }

    struct Narrow: Codable, FastPayload {
        var id: Int8
        var name: String

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
        }
    }

    struct Fractional: Codable, FastPayload {
        var id: Double
        var name: String

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
        }
    }

    struct Textual: Codable, FastPayload {
        var id: String
        var name: String

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
        }
    }

    struct Lenient: Codable, FastPayload {
        var id: Int
        var name: String?

        func encode(to writer: inout PayloadWriter) {
            writer.write(id, at: 1)
            writer.write(name, at: 2)
        }
    }
}

extension Evolving.First {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        name = try reader.read(at: 2)
    }
}

extension Evolving.WithOptional {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        name = try reader.read(at: 2)
        extra = try reader.read(at: 3)
    }
}

extension Evolving.WithRequired {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        name = try reader.read(at: 2)
        extra = try reader.read(at: 3)
    }
}

extension Evolving.WithDefault {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        name = try reader.read(at: 2)
        extra = try reader.read(at: 3, default: 7)
    }
}

extension Evolving.Renamed {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        title = try reader.read(at: 2)
    }
}

extension Evolving.Shorter {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
    }
}

extension Evolving.Reordered {
    init(from reader: inout PayloadReader) throws {
        name = try reader.read(at: 2)
        id = try reader.read(at: 1)
    }
}

extension Evolving.Narrow {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        name = try reader.read(at: 2)
    }
}

extension Evolving.Fractional {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        name = try reader.read(at: 2)
    }
}

extension Evolving.Textual {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        name = try reader.read(at: 2)
    }
}

extension Evolving.Lenient {
    init(from reader: inout PayloadReader) throws {
        id = try reader.read(at: 1)
        name = try reader.read(at: 2)
    }
}
