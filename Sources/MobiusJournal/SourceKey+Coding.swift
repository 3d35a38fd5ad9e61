package import MobiusWire

// Source keys as bytes, without their loop: equal keys have equal bytes.
//
//     source = 0 / 1 sequence index epoch attempt number / 2 sequence index round / 3 key / 4 sequence index time
//            / 5 sequence index loop / 6 sequence index
extension SourceKey {
    /// The key's bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        ByteWriter.append(to: &bytes) { (writer) throws(Never) in
            func append(_ tag: UInt8, _ effect: EffectID, to writer: inout ByteWriter) {
                writer.uint8(tag)
                writer.number(effect.sequence)
                writer.number(UInt64(effect.index))
            }
            switch self {
            case .start: writer.uint8(0)
            case .report(let attempt, let number):
                append(1, attempt.effect, to: &writer)
                writer.attempt(attempt.attempt)
                writer.number(UInt64(number))
            case .failure(let effect, let round):
                append(2, effect, to: &writer)
                writer.number(UInt64(round))
            case .outside(let key):
                writer.uint8(3)
                writer.text(key)
            case .timer(let effect, let due):
                append(4, effect, to: &writer)
                writer.time(due)
            case .loop(let effect):
                append(5, effect, to: &writer)
                writer.counted(effect.loop.name)
            case .answer(let effect): append(6, effect, to: &writer)
            }
        }
        return bytes
    }

    /// Reads a key of `loop`.
    ///
    /// - Throws: ``JournalError`` with code `damaged` for any bytes that are no key.
    package init(_ bytes: [UInt8], of loop: LoopID) throws(JournalError) {
        self = try bytes.span.bytes.withUnsafeBytes { (bytes) throws(JournalError) in
            var reader = JournalReader(bytes)
            func effect() throws(JournalError) -> EffectID {
                EffectID(loop: loop, sequence: try reader.number("sequence"), index: try reader.shortNumber("index"))
            }
            let key: SourceKey
            switch try reader.number("source") {
            case 0: key = .start
            case 1:
                let attempt = AttemptID(effect: try effect(), attempt: try reader.attempt())
                key = .report(attempt, number: try reader.shortNumber("number"))
            case 2: key = .failure(try effect(), round: try reader.shortNumber("round"))
            case 3: key = .outside(try reader.string(length: reader.remaining, "key"))
            case 4: key = .timer(try effect(), due: try reader.time())
            case 5:
                let effect = try effect()
                guard let sender = LoopID(try reader.countedText("loop")) else {
                    throw JournalError(.damaged, "A source in the journal has no loop.")
                }
                key = .loop(EffectID(loop: sender, sequence: effect.sequence, index: effect.index))
            case 6: key = .answer(try effect())
            default: throw JournalError(.damaged, "A source in the journal is not known.")
            }
            try reader.end("source")
            return key
        }
    }
}
