#if HTTP
    import MobiusCodec
    import MobiusWire

    // What responses contain besides the clients' own records; the description of the routes is made from these types.

    /// The confirmation of an event.
    struct SentBody: Codable {
        let loop: LoopID
        let key: String
        let repeated: Bool
        let number: UInt64?
        let answer: JSONFragment?
        let answerBase64: Base64Bytes?

        init(_ confirmation: EventConfirmation, to loop: LoopID, key: String) {
            (self.loop, self.key) = (loop, key)
            (repeated, number) = (confirmation.repeated, confirmation.number)
            var (json, bytes): (JSONFragment?, Base64Bytes?)
            if case .answer(let payload) = confirmation.reply {
                let text = PayloadText.json(of: payload.bytes, contentType: payload.kind.contentType)
                json = text.map { JSONFragment(written: Array($0.utf8)) }
                bytes = text == nil ? Base64Bytes(payload.bytes) : nil
            }
            (answer, answerBase64) = (json, bytes)
        }
    }

    /// A page of a loop's history.
    struct HistoryBody: Codable {
        let entries: [HistoryEntry]
        let first: UInt64?
        let next: String?
    }

    /// A page of pending effects.
    struct EffectList: Codable {
        let effects: [EffectSummary]
        let next: EffectID?
    }

    /// A page of dead letters.
    struct LetterList: Codable {
        let letters: [DeadLetterSummary]
        let next: EffectID?
    }

    /// A problem document (RFC 9457).
    struct ProblemBody: Codable {
        let type: String
        let title: String
        let status: Int
        let detail: String
        let code: Problem.Code
        let number: UInt64?

        init(_ problem: Problem) {
            type = "urn:mobius-fleet:problem:\(problem.code.rawValue)"
            (title, status) = (problem.code.title, problem.code.status)
            (detail, code, number) = (problem.detail, problem.code, problem.event)
        }
    }
#endif
