package import MobiusWire

// Source keys as bytes, without their loop: equal keys have equal bytes.
//
//     source = 0 / 1 sequence index epoch attempt number / 2 sequence index round / 3 key / 4 sequence index time
extension SourceKey {
    /// The key's bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        func append(_ tag: UInt64, _ effect: EffectID) {
            ByteWriter.append(tag, to: &bytes)
            ByteWriter.append(effect.sequence, to: &bytes)
            ByteWriter.append(UInt64(effect.index), to: &bytes)
        }
        switch self {
        case .start: bytes = [0]
        case .report(let attempt, let number):
            append(1, attempt.effect)
            ByteWriter.append(attempt.attempt, to: &bytes)
            ByteWriter.append(UInt64(number), to: &bytes)
        case .failure(let effect, let round):
            append(2, effect)
            ByteWriter.append(UInt64(round), to: &bytes)
        case .outside(let key): bytes = [3] + Array(key.utf8)
        case .timer(let effect, let due):
            append(4, effect)
            ByteWriter.append(due, to: &bytes)
        }
        return bytes
    }

    /// Reads a key of `loop`.
    ///
    /// - Throws: ``JournalError`` with code `damaged` for any bytes that are no key.
    package init(_ bytes: [UInt8], of loop: LoopID) throws(JournalError) {
        if bytes.first == 3 {
            guard let key = String(validating: bytes.dropFirst(), as: UTF8.self) else {
                throw JournalError(.damaged, "A key in the journal is no text.")
            }
            self = .outside(key)
            return
        }
        var reader = ByteReader(bytes)
        func effect() throws(JournalError) -> EffectID {
            EffectID(loop: loop, sequence: try reader.readNumber(), index: try reader.readShortNumber())
        }
        switch try reader.readNumber() {
        case 0: self = .start
        case 1:
            let attempt = AttemptID(effect: try effect(), attempt: try reader.readAttempt())
            self = .report(attempt, number: try reader.readShortNumber())
        case 2: self = .failure(try effect(), round: try reader.readShortNumber())
        case 4: self = .timer(try effect(), due: try reader.readTime())
        default: throw JournalError(.damaged, "A source in the journal is not known.")
        }
        try reader.finish()
    }
}
