public import MobiusWire

/// A remark in the history of an effect, for people; nothing else depends on it.
public enum EffectRemark: Equatable, Sendable {
    /// The longest reason or name that a coordinator records, in bytes of UTF-8; it cuts longer ones at a character.
    public static let maximumText = 500

    /// An attempt failed.
    ///
    /// `worker` is the name of the worker that ran it, or the beginning of its incarnation; empty for the coordinator itself.
    case failed(Attempt, worker: String, reason: String, at: WallTime)
    /// The effect was cancelled by this one of its loop, and ends with the next note.
    case cancelled(by: EffectID)
    /// The holder of this key or token asked for what the note before says.
    case asked(by: String, at: WallTime)
    /// The holder of this key or token, or somebody where no keys are, asked for this act of operators, for this reason; what came of
    /// it follows.
    case acted(String, by: String, why: String, at: WallTime)
    /// A remark of a later build.
    case unknown(kind: UInt8, content: [UInt8])
}

// A remark's content stands behind its length, so that earlier builds step over kinds of later ones.
extension EffectRemark {
    var kind: UInt8 {
        switch self {
        case .failed: 1
        case .cancelled: 2
        case .asked: 3
        case .acted: 4
        case .unknown(let kind, _): kind
        }
    }

    func write(to writer: inout ByteWriter) {
        var content = [UInt8]()
        switch self {
        case .failed(let attempt, let worker, let reason, let time):
            ByteWriter.append(to: &content) { writer in
                writer.attempt(attempt)
                writer.counted(worker)
                writer.counted(reason)
                writer.time(time)
            }
        case .cancelled(let effect):
            ByteWriter.append(to: &content) { writer in
                writer.number(effect.sequence)
                writer.number(UInt64(effect.index))
            }
        case .asked(let name, let time):
            ByteWriter.append(to: &content) { writer in
                writer.counted(name)
                writer.time(time)
            }
        case .acted(let act, let name, let why, let time):
            ByteWriter.append(to: &content) { writer in
                writer.counted(act)
                writer.counted(name)
                writer.counted(why)
                writer.time(time)
            }
        case .unknown(_, let bytes): content = bytes
        }
        writer.uint8(kind)
        writer.counted(content)
    }

    init(from reader: inout JournalReader, of loop: LoopID) throws(JournalError) {
        let kind = try reader.uint8("remark")
        let bytes = try reader.counted("remark")
        var content = JournalReader(bytes)
        switch kind {
        case 1:
            self = .failed(
                try content.attempt(), worker: try content.countedText("worker"),
                reason: try content.countedText("reason"), at: try content.time())
        case 2:
            self = .cancelled(
                by: EffectID(
                    loop: loop, sequence: try content.number("sequence"), index: try content.shortNumber("index")))
        case 3: self = .asked(by: try content.countedText("name"), at: try content.time())
        case 4:
            self = .acted(
                try content.countedText("act"), by: try content.countedText("name"),
                why: try content.countedText("reason"), at: try content.time())
        default:
            self = .unknown(kind: kind, content: Array(bytes))
            return
        }
        try content.end("remark")
    }
}
