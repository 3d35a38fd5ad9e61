import Foundation
public import MobiusCodec
public import MobiusProgram

/// Its payloads are coded as the environment variable `EFFECT_CODING` says: json or fast.
extension EffectLoop: CodedProgram {
    /// As whoever starts the coordinator wants it measured; workers answer in kind.
    public static var coding: ProgramCodec<EffectLoop> {
        ProcessInfo.processInfo.environment["EFFECT_CODING"] == "fast" ? .fast : .json
    }
}

extension EffectLoop.Model: FastPayload {
    /// Writes its fields.
    public func encode(to writer: inout PayloadWriter) {
        writer.write(total, at: 1)
        writer.write(asked, at: 2)
        writer.write(answered, at: 3)
    }

    /// Reads its fields.
    public init(from reader: inout PayloadReader) throws {
        self.init()
        total = try reader.read(at: 1)
        asked = try reader.read(at: 2)
        answered = try reader.read(at: 3)
    }
}

extension EffectLoop.Event: FastPayload {
    /// Writes its case and values.
    public func encode(to writer: inout PayloadWriter) {
        switch self {
        case .started(let total, let window):
            writer.writeCase(1)
            writer.write(total, at: 1)
            writer.write(window, at: 2)
        case .fetched(let etag, let status, let answer, let next):
            writer.writeCase(2)
            writer.write(etag, at: 1)
            writer.write(status, at: 2)
            writer.write(answer, at: 3)
            writer.write(next, at: 4)
        case .failed(let reason):
            writer.writeCase(3)
            writer.write(reason, at: 1)
        }
    }

    /// Reads its case and values.
    public init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .started(total: try reader.read(at: 1), window: try reader.read(at: 2))
        case 2:
            self = .fetched(
                etag: try reader.read(at: 1), status: try reader.read(at: 2), answer: try reader.read(at: 3),
                next: try reader.read(at: 4))
        case 3: self = .failed(reason: try reader.read(at: 1))
        case let number: throw reader.unknownCase(number)
        }
    }
}

extension EffectLoop.Effect: FastPayload {
    /// Writes its case and values.
    public func encode(to writer: inout PayloadWriter) {
        switch self {
        case .fetch(let url, let attempt):
            writer.writeCase(1)
            writer.write(url, at: 1)
            writer.write(attempt, at: 2)
        case .finish(let failure):
            writer.writeCase(2)
            writer.write(failure, at: 1)
        }
    }

    /// Reads its case and values.
    public init(from reader: inout PayloadReader) throws {
        switch try reader.readCase() {
        case 1: self = .fetch(url: try reader.read(at: 1), attempt: try reader.read(at: 2))
        case 2: self = .finish(failure: try reader.read(at: 1))
        case let number: throw reader.unknownCase(number)
        }
    }
}
