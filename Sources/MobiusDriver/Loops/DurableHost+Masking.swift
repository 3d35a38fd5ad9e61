import MobiusCore
package import MobiusEngine
import MobiusProgram
package import MobiusWire

// Payloads that people must not see, and the forms of the program's types.
extension DurableHost {
    package func masksPayloads(of loop: LoopID) -> Bool { setting.preparer.calls.masks(loop) }

    package func mask(_ answer: ClientAnswer, of loop: LoopID, for requests: [RequestID]) {
        if case .quarantined(let summary, let event) = answer {
            return maskHostile(event, of: summary, for: requests)
        }
        let calls = setting.preparer.calls
        let isSkipped = !crashes.isEmpty && skips(CrashLedger.Event(loop: loop, source: .place(.masking, of: loop)))
        setting.background { [post = setting.post, breadcrumbs = setting.breadcrumbs] in
            let trail = breadcrumbs.map { $0.trail(.reading) }
            let masked = answer.masked { calls.masked($0, as: $1, of: loop, isSkipped: isSkipped, trail) }
            for request in requests { post(.answer(request, masked)) }
        }
    }

    /// Masks an event that may trap: in another process, or as a whole.
    private func maskHostile(_ event: Payload, of summary: QuarantineSummary, for requests: [RequestID]) {
        guard let sandbox = setting.sandbox, !event.bytes.isEmpty else {
            let masked = event.bytes.isEmpty ? event : ProgramCalls<Program>.maskedWhole(event)
            for request in requests { setting.post(.answer(request, .quarantined(summary, event: masked))) }
            return
        }
        sandbox.aside { [post = setting.post] in
            let masked = try? Payload(
                message: sandbox.run(.mask) { send in
                    try send(ReplayMessage.event(event, LoopContext(loop: summary.loop.name)).bytes)
                })
            let answer = ClientAnswer.quarantined(summary, event: masked ?? ProgramCalls<Program>.maskedWhole(event))
            for request in requests { post(.answer(request, answer)) }
        }
    }

    /// The forms of the program's types, found out at the first request.
    package func schema(_ request: RequestID) {
        if let known = schema.result { return give(Self.answer(known), to: request) }
        schema.waiting.append(request)
        guard schema.waiting.count == 1 else { return }
        guard let sandbox = setting.sandbox else {
            return setting.background { [post = setting.post, calls = setting.preparer.calls] in
                post(.schema(.success(calls.schema())))
            }
        }
        sandbox.aside { [post = setting.post] in
            do {
                post(.schema(.success(try sandbox.run(.schema) { _ in })))
            } catch {
                let failure = error as? SandboxFailure ?? SandboxFailure("\(error)", isFinal: false)
                post(.schema(.failure(failure)))
            }
        }
    }

    func found(_ result: Result<[UInt8], SandboxFailure>) {
        if case .failure(let failure) = result, !failure.isFinal {
            schema.result = nil
        } else {
            schema.result = result
        }
        for request in schema.waiting { give(Self.answer(result), to: request) }
        schema.waiting = []
    }

    private static func answer(_ result: Result<[UInt8], SandboxFailure>) -> ClientAnswer {
        switch result {
        case .success(let json): .schema(json)
        case .failure(let failure):
            .refused(ClientRefusal(.unsupported, "The schema could not be read: \(failure.reason)."))
        }
    }
}

extension ClientAnswer {
    /// The answer with masked payloads.
    fileprivate func masked(by mask: (Payload, PayloadMasking) -> Payload) -> ClientAnswer {
        switch self {
        case .model(var summary, let model):
            summary.isMasked = true
            return .model(summary, model: mask(model, .model))
        case .effect(let summary, let payload): return .effect(summary, payload: mask(payload, .effect))
        case .letter(let summary, let payload): return .letter(summary, effect: mask(payload, .effect))
        case .history(var page):
            for place in page.entries.indices {
                page.entries[place].event = page.entries[place].event?.masked { mask($0, .event) }
                page.entries[place].after = page.entries[place].after.map { after in
                    after.model.map { HistoryModel(mask($0, .model)) } ?? after
                }
                // Another loop's program made it of its model.
                if page.entries[place].what == .answered { page.entries[place].reason = "" }
                for effect in page.entries[place].effects.indices {
                    page.entries[place].effects[effect].effect =
                        page.entries[place].effects[effect].effect.masked { mask($0, .effect) }
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
