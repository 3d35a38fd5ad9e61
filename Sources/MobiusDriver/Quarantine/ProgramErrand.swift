package import MobiusCore
import MobiusJournal
package import MobiusProgram
import MobiusWire

/// The work of another process of the same executable with the program's code: see ``ProgramSandbox``.
package enum ProgramErrand: String, Sendable {
    /// It gets nothing, and answers with the forms of the program's types as JSON.
    case schema
    /// It gets an event as a ``ReplayMessage``, and answers with the event as people may see it.
    case mask
    /// It gets ``ReplayMessage``s, and answers with a ``ReplayAnswer``.
    case replay

    /// Does the errand in that process.
    ///
    /// - Parameter next: Returns the next message; `nil` at the end.
    /// - Throws: `JournalError` for a message that no coordinator of this build sends.
    package func run<Program: LoopProgram>(
        _ functions: any ProgramFunctions<Program>, next: () -> [UInt8]?
    ) throws -> [UInt8] {
        let calls = ProgramCalls(functions)
        switch self {
        case .schema: return calls.schema()
        case .mask:
            guard case .event(let event, let context) = try ReplayMessage(next() ?? []) else { return [] }
            let loop = LoopID(context.loop) ?? .main
            return calls.masked(event, as: .event, of: loop, isSkipped: false, nil).message
        case .replay:
            var replay = ReplayedMessages(calls: calls)
            while let message = next() { try replay.apply(ReplayMessage(message)) }
            return replay.answer.bytes
        }
    }
}

/// The inputs that are to be applied to a loop's model, in the order of its events.
enum ReplayMessage {
    /// The loop begins, or begins again.
    case first(LoopContext)
    /// The model of a snapshot after an event.
    case model(Payload, LoopContext)
    case event(Payload, LoopContext)
    /// The model that it has now is to be in the answer.
    case show

    var bytes: [UInt8] {
        switch self {
        case .first(let context): [0] + context.message
        case .model(let model, let context): [1] + context.message + model.message
        case .event(let event, let context): [2] + context.message + event.message
        case .show: [3]
        }
    }

    init(_ bytes: [UInt8]) throws(JournalError) {
        self = try bytes.span.bytes.withUnsafeBytes { (bytes) throws(JournalError) in
            var reader = JournalReader(bytes)
            let kind = try reader.uint8("message")
            if kind == 3 { return .show }
            let context = try LoopContext(&reader)
            switch kind {
            case 0: return .first(context)
            case 1: return .model(try Payload(&reader), context)
            case 2: return .event(try Payload(&reader), context)
            default: throw JournalError(.damaged, "A message to another process is not known.")
            }
        }
    }
}

/// The result of a replay in another process.
struct ReplayAnswer {
    /// What ended it early.
    enum End: Hashable {
        /// The contents that cannot be read, and the reason.
        case unreadable(String)
        /// A model cannot be encoded, for this reason.
        case unwritable(String)
    }

    /// The models that were asked for, in this order, as many as there was room for.
    var models: [Payload] = []
    var end: End?

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        ByteWriter.append(to: &bytes) { (writer) throws(Never) in
            let (kind, reason): (UInt64, String) =
                switch end {
                case nil: (0, "")
                case .unreadable(let reason): (1, reason)
                case .unwritable(let reason): (2, reason)
                }
            writer.number(kind)
            writer.counted(reason)
            writer.number(UInt64(models.count))
        }
        return models.reduce(into: bytes) { $0 += $1.message }
    }

    init() {}

    init(_ bytes: [UInt8]) throws(JournalError) {
        self = try bytes.span.bytes.withUnsafeBytes { (bytes) throws(JournalError) in
            var reader = JournalReader(bytes)
            var answer = ReplayAnswer()
            let kind = try reader.number("end")
            let reason = try reader.countedText("reason")
            switch kind {
            case 0: break
            case 1: answer.end = .unreadable(reason)
            case 2: answer.end = .unwritable(reason)
            default: throw JournalError(.damaged, "An answer of another process is not known.")
            }
            for _ in 0..<(try reader.number("models")) { answer.models.append(try Payload(&reader)) }
            return answer
        }
    }
}

/// The models that messages lead to.
private struct ReplayedMessages<Program: LoopProgram> {
    let calls: ProgramCalls<Program>
    private var loop: GuardedLoop<Program>?
    private var found = ReplayedModels()
    private(set) var answer = ReplayAnswer()

    init(calls: ProgramCalls<Program>) {
        self.calls = calls
    }

    mutating func apply(_ message: ReplayMessage) {
        guard answer.end == nil else { return }
        switch message {
        case .first(let context):
            let id = LoopID(context.loop) ?? .main
            loop = calls.loop(id, calls.initiate(id, in: context, nil).model)
        case .model(let model, let context):
            let id = LoopID(context.loop) ?? .main
            let snapshot = Snapshot(loop: id, sequence: context.number, model: model, hash: 0, pending: [])
            do {
                loop = calls.loop(id, try calls.model(of: snapshot, nil))
            } catch {
                answer.end = .unreadable("the model after event \(context.number): \(error)")
            }
        case .event(let event, let context):
            do {
                _ = try loop?.apply(event, in: context)
            } catch {
                answer.end = .unreadable("event \(context.number): \(error)")
            }
        case .show: show()
        }
    }

    private mutating func show() {
        guard let loop, found.hasRoom else { return }
        do {
            let model = try calls.encode(loop.model, of: loop.id, nil)
            found.add(model, after: 0)
            answer.models.append(model)
        } catch {
            answer.end = .unwritable("\(error)")
        }
    }
}

extension LoopContext {
    /// Its bytes in a message to another process.
    fileprivate var message: [UInt8] {
        var bytes: [UInt8] = []
        ByteWriter.append(to: &bytes) { (writer) throws(Never) in
            writer.counted(loop)
            writer.number(number)
            writer.number(UInt64(bitPattern: milliseconds))
            writer.counted(sender ?? "")
        }
        return bytes
    }

    fileprivate init(_ reader: inout JournalReader) throws(JournalError) {
        let (loop, number) = (try reader.countedText("loop"), try reader.number("sequence"))
        let milliseconds = Int64(bitPattern: try reader.number("time"))
        let sender = try reader.countedText("sender")  // no loop has an empty name
        self.init(
            loop: loop, number: number, milliseconds: milliseconds, sender: sender.isEmpty ? nil : sender)
    }
}

extension Payload {
    /// Its bytes in a message to another process.
    var message: [UInt8] {
        var bytes: [UInt8] = []
        ByteWriter.append(to: &bytes) { (writer) throws(Never) in
            writer.counted(kind.type)
            writer.number(UInt64(kind.version))
            writer.counted(kind.contentType)
            writer.counted(self.bytes)
        }
        return bytes
    }

    init(message: [UInt8]) throws(JournalError) {
        self = try message.span.bytes.withUnsafeBytes { (bytes) throws(JournalError) in
            var reader = JournalReader(bytes)
            return try Payload(&reader)
        }
    }

    fileprivate init(_ reader: inout JournalReader) throws(JournalError) {
        let type = try reader.countedText("type")
        let version = UInt16(truncatingIfNeeded: try reader.number("version"))
        let contentType = try reader.countedText("content type")
        self.init(
            kind: PayloadKind(type: type, version: version, contentType: contentType),
            bytes: try reader.countedBytes("payload"))
    }
}
