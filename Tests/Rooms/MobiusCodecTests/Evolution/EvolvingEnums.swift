import MobiusCodec

// An enum as it was first, and after one change each.
extension Evolving {
    enum Deed: Codable, FastPayload {
        case stop
        case go(far: Int)

        func encode(to writer: inout PayloadWriter) {
            switch self {
            case .stop:
                writer.writeCase(1)
            case .go(let far):
                writer.writeCase(2)
                writer.write(far, at: 1)
            }
        }

        init(from reader: inout PayloadReader) throws {
            switch try reader.readCase() {
            case 1: self = .stop
            case 2: self = .go(far: try reader.read(at: 1))
            case let number: throw reader.unknownCase(number)
            }
        }
    }

    enum MoreCases: Codable, FastPayload {
        case stop
        case go(far: Int)
        case wait

        func encode(to writer: inout PayloadWriter) {
            switch self {
            case .stop:
                writer.writeCase(1)
            case .go(let far):
                writer.writeCase(2)
                writer.write(far, at: 1)
            case .wait:
                writer.writeCase(3)
            }
        }

        init(from reader: inout PayloadReader) throws {
            switch try reader.readCase() {
            case 1: self = .stop
            case 2: self = .go(far: try reader.read(at: 1))
            case 3: self = .wait
            case let number: throw reader.unknownCase(number)
            }
        }
    }

    enum FewerCases: Codable, FastPayload {
        case stop

        func encode(to writer: inout PayloadWriter) {
            switch self {
            case .stop:
                writer.writeCase(1)
            }
        }

        init(from reader: inout PayloadReader) throws {
            switch try reader.readCase() {
            case 1: self = .stop
            case let number: throw reader.unknownCase(number)
            }
        }
    }

    enum RenamedCase: Codable, FastPayload {
        case stop
        case walk(far: Int)

        func encode(to writer: inout PayloadWriter) {
            switch self {
            case .stop:
                writer.writeCase(1)
            case .walk(let far):
                writer.writeCase(2)
                writer.write(far, at: 1)
            }
        }

        init(from reader: inout PayloadReader) throws {
            switch try reader.readCase() {
            case 1: self = .stop
            case 2: self = .walk(far: try reader.read(at: 1))
            case let number: throw reader.unknownCase(number)
            }
        }
    }

    enum RenamedLabel: Codable, FastPayload {
        case stop
        case go(steps: Int)

        func encode(to writer: inout PayloadWriter) {
            switch self {
            case .stop:
                writer.writeCase(1)
            case .go(let steps):
                writer.writeCase(2)
                writer.write(steps, at: 1)
            }
        }

        init(from reader: inout PayloadReader) throws {
            switch try reader.readCase() {
            case 1: self = .stop
            case 2: self = .go(steps: try reader.read(at: 1))
            case let number: throw reader.unknownCase(number)
            }
        }
    }

    enum MoreValues: Codable, FastPayload {
        case stop
        case go(far: Int, fast: Bool?)

        func encode(to writer: inout PayloadWriter) {
            switch self {
            case .stop:
                writer.writeCase(1)
            case .go(let far, let fast):
                writer.writeCase(2)
                writer.write(far, at: 1)
                writer.write(fast, at: 2)
            }
        }

        init(from reader: inout PayloadReader) throws {
            switch try reader.readCase() {
            case 1: self = .stop
            case 2: self = .go(far: try reader.read(at: 1), fast: try reader.read(at: 2))
            case let number: throw reader.unknownCase(number)
            }
        }
    }
}
