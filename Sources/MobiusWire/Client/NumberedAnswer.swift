import MobiusCodec

/// An answer under the number of its request.
public struct NumberedAnswer: Hashable, Sendable {
    /// The coordinator's epoch: a higher one than before tells that it was started anew.
    public var epoch: UInt64
    /// The request's number; 0 when the frame that is refused had none.
    public var number: UInt64
    /// The answer.
    public var answer: ClientAnswer

    /// Numbers an answer.
    public init(epoch: UInt64, number: UInt64, answer: ClientAnswer) {
        self.epoch = epoch
        self.number = number
        self.answer = answer
    }
}

extension NumberedAnswer {
    /// Appends the answer's one frame to `bytes`, whose other content stays; strings beyond their limit are cut.
    public func encode(into bytes: inout [UInt8]) {
        ByteWriter.append(to: &bytes) { writer in
            ClientHead(command: answer.command, epoch: epoch, number: number).write(to: &writer)
            if case .done(let confirmation) = answer { confirmation.write(to: &writer) }
            if case .dropped = answer { EventConfirmation.writeDropped(to: &writer) }
        }
        answer.appendBody(to: &bytes)
    }

    /// Reads the one frame of a coordinator's answer.
    ///
    /// - Throws: ``WireError`` for any bytes that are not exactly one answer.
    public init(decoding frame: RawSpan) throws(WireError) {
        self = try frame.withUnsafeBytes { (bytes) throws(WireError) in
            var reader = WireReader(bytes)
            let head = try ClientHead(from: &reader)
            let answer = try ClientAnswer(head.command, from: &reader)
            try reader.end("answer")
            return NumberedAnswer(epoch: head.epoch, number: head.number, answer: answer)
        }
    }
}

/// The body of a frame in JSON.
enum Body {
    /// Appends a value as JSON.
    static func append<Value: Codable>(_ value: Value, to bytes: inout [UInt8]) {
        var scratch = CodingScratch()
        do {
            try JSONCodec(Value.self).encode(value, into: &bytes, scratch: &scratch)
        } catch {
            // No value of these types can fail, and a reader takes what is there for an error.
            assertionFailure("\(error)")
        }
    }

    /// Reads the rest of a frame as JSON.
    static func read<Value: Codable>(
        _ type: Value.Type = Value.self, from reader: inout WireReader
    ) throws(WireError) -> Value {
        var scratch = CodingScratch()
        let bytes = try reader.consume(reader.remaining, "body")
        do {
            return try JSONCodec(Value.self).decode(RawSpan(_unsafeBytes: bytes), scratch: &scratch)
        } catch {
            throw WireError(.invalidField, "\(error)".cut(toBytes: ClientAnswer.maximumReason))
        }
    }
}
