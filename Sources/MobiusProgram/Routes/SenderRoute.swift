import MobiusCodec
import MobiusEngine
import MobiusWire
import Synchronization

/// The reply of a route to the sender of its effect's event.
package struct SenderRoute: Sendable {
    private let reply: Result<SenderReply, CodingFailure>

    /// Answers with a value.
    init<Answer: Codable & Sendable>(answer: Answer, _ codec: TypedCodec<Answer>) {
        reply = Result { () throws(CodingFailure) in .answer(try codec.encode(answer)) }
    }

    /// Refuses the event.
    init(refusal reason: String) {
        reply = .success(.refusal(ClientRefusal(.invalidEvent, reason).reason))
    }

    /// The plan of the effect, which never runs.
    func plan() throws(ProgramError) -> EffectPlan {
        do throws(CodingFailure) {
            return EffectPlan(destination: .sender(try reply.get()))
        } catch {
            throw ProgramError("An answer to the sender of an event cannot be written: \(error).")
        }
    }

    static func severalReplies(_ count: Int) -> ProgramError {
        ProgramError(
            """
            `update` gave \(count) answers to the sender of one event: an event has one answer (.toSender) or one refusal \
            (.refuses) at most.
            """)
    }
}

/// The codings of answers' types, for routers that make a route for each effect: making one takes longer than its use.
enum AnswerCodecs {
    private static let known = Mutex<[ObjectIdentifier: any Sendable]>([:])

    static func codec<Answer: Codable & Sendable>(of type: Answer.Type) -> TypedCodec<Answer> {
        known.withLock { known in
            if let codec = known[ObjectIdentifier(type)] as? TypedCodec<Answer> { return codec }
            let codec = TypedCodec<Answer>.json()
            known[ObjectIdentifier(type)] = codec
            return codec
        }
    }
}
