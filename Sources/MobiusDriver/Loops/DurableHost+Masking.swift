package import MobiusEngine
import MobiusProgram
package import MobiusWire

// Payloads that people must not see, and the forms of the program's types.
extension DurableHost {
    package var masksPayloads: Bool { mask != nil }

    package func mask(_ answer: ClientAnswer, for requests: [RequestID]) {
        guard let mask else {
            for request in requests { give(answer, to: request) }
            return
        }
        let codings = setting.preparer.codings
        setting.background { [post = setting.post] in
            let masked = answer.masked(by: mask, codings)
            for request in requests { post(.answer(request, masked)) }
        }
    }

    /// The forms of the program's types, found out in the background at the first request.
    package func schema(_ request: RequestID) {
        if let known = schema.result { return give(Self.answer(known), to: request) }
        schema.waiting.append(request)
        guard schema.waiting.count == 1 else { return }
        guard let read = setting.schema else {
            return setting.background { [post = setting.post] in
                post(.schema(.success(ProgramSchema.json(of: Program.self))))
            }
        }
        read { [post = setting.post] in post(.schema($0)) }
    }

    func found(_ result: Result<[UInt8], SchemaFailure>) {
        if case .failure(let failure) = result, !failure.isFinal {
            schema.result = nil
        } else {
            schema.result = result
        }
        for request in schema.waiting { give(Self.answer(result), to: request) }
        schema.waiting = []
    }

    private static func answer(_ result: Result<[UInt8], SchemaFailure>) -> ClientAnswer {
        switch result {
        case .success(let json): .schema(json)
        case .failure(let failure):
            .refused(ClientRefusal(.unsupported, "The schema could not be read: \(failure.reason)."))
        }
    }
}

extension ClientAnswer {
    /// The answer with masked payloads.
    fileprivate func masked<Program>(by mask: ProgramMask<Program>, _ codings: ProgramCodecs<Program>) -> ClientAnswer {
        switch self {
        case .model(var summary, let model):
            summary.isMasked = true
            return .model(summary, model: mask.model(model, codings))
        case .effect(let summary, let payload): return .effect(summary, payload: mask.effect(payload, codings))
        case .letter(let summary, let payload): return .letter(summary, effect: mask.effect(payload, codings))
        case .quarantined(let summary, let event):
            return .quarantined(summary, event: event.bytes.isEmpty ? event : mask.event(event, codings))
        case .history(var page):
            for place in page.entries.indices {
                page.entries[place].event = page.entries[place].event?.masked { mask.event($0, codings) }
                for effect in page.entries[place].effects.indices {
                    page.entries[place].effects[effect].effect =
                        page.entries[place].effects[effect].effect.masked { mask.effect($0, codings) }
                }
            }
            return .history(page)
        default: return self
        }
    }
}

extension HistoryPayload {
    fileprivate func masked(_ mask: (Payload) -> Payload) -> HistoryPayload {
        guard let bytes else { return self }
        let masked = mask(Payload(kind: kind, bytes: bytes))
        return HistoryPayload(kind: masked.kind, size: size, bytes: masked.bytes)
    }
}
