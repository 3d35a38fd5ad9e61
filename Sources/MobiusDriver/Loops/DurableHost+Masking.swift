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
        if let json = schema.json { return give(.schema(json), to: request) }
        schema.waiting.append(request)
        guard schema.waiting.count == 1 else { return }
        setting.background { [post = setting.post] in post(.schema(ProgramSchema.json(of: Program.self))) }
    }

    func found(_ json: [UInt8]) {
        schema.json = json
        for request in schema.waiting { give(.schema(json), to: request) }
        schema.waiting = []
    }
}

/// What was found out about the program's types, and who waits for it.
struct SchemaState {
    var json: [UInt8]?
    var waiting: [RequestID] = []
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
