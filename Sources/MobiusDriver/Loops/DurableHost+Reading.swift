import MobiusCodec
package import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Models for clients.
extension DurableHost {
    package func heldStatus(of loop: LoopID) -> LoopStatus? { held[loop]?.status }

    // MARK: - Models

    package var nextReadDeadline: Moment? { reads.nextDeadline }

    package func model(of id: LoopID, seen: ModelVersion?, _ request: RequestID, at now: Moment) {
        let end = end(id)
        guard readable(id) != nil || end != nil, let sequence = lastSequence(id) else {
            return giveNoModel(of: id, to: [request])
        }
        if let seen, seen == ModelVersion(journal: setting.status.journal, sequence: sequence) {
            reads.watch(id, request, at: now)
        } else if let end, readable(id) == nil {
            readEnded(end, request)
        } else {
            reads.read(id, request)
            encodeModels()
        }
    }

    /// Encodes the next model in the background, from a copy-on-write copy.
    func encodeModels() {
        while let id = reads.next() {
            guard let loop = readable(id), let sequence = lastSequence(id) else {
                if let end = end(id) {
                    for request in reads.encoded(bytes: 0) { readEnded(end, request) }
                    continue
                }
                giveNoModel(of: id, to: reads.encoded(bytes: 0))
                continue
            }
            let model = loop.typed.model
            setting.background {
                [post = setting.post, calls = setting.preparer.calls, breadcrumbs = setting.breadcrumbs] in
                let trail = breadcrumbs.map { $0.trail(.reading) }
                let encoded = Result { () throws(CodingFailure) in try calls.encode(model, of: id, trail) }
                post(.encoded(id, sequence: sequence, encoded.mapError { $0 }))
            }
        }
    }

    func encoded(_ id: LoopID, _ sequence: UInt64, _ model: Result<Payload, CodingFailure>) {
        forgetTrap(at: .place(.encoding, of: id), of: id)
        switch model {
        case .success(let model) where model.bytes.count <= Int(PayloadLimit.range.upperBound):
            let version = ModelVersion(journal: setting.status.journal, sequence: sequence)
            let summary = ModelSummary(loop: id, version: version, build: setting.preparer.build)
            let requests = reads.encoded(bytes: model.bytes.count)
            models.append(EncodedModel(requests: requests, summary: summary, model: model))
        case .success(let model):
            let reason = "The model of loop \(id) has \(model.bytes.count) bytes, more than a message may have."
            refuse(reads.encoded(bytes: 0), ClientRefusal(.tooLarge, reason))
        case .failure(let failure):
            let reason = "The model of loop \(id) cannot be written: \(failure)."
            refuse(reads.encoded(bytes: 0), ClientRefusal(.unsupported, reason))
        }
        encodeModels()
    }

    package func takeModels(_ give: (EncodedModel) throws -> Void) throws {
        guard !models.isEmpty else { return }
        let ready = models
        models = []
        for model in ready { try give(model) }
    }

    package func sent(_ model: EncodedModel) {
        reads.sent(bytes: model.model.bytes.count)
        encodeModels()
    }

    package func unwatch(_ loop: LoopID, _ request: RequestID) {
        if reads.unwatch(loop, request) { give(.unchanged, to: request) }
    }

    package func expireWatches(at now: Moment) {
        for request in reads.expired(at: now) { give(.unchanged, to: request) }
    }

    /// Refuses the requests for the model of a loop that is held from now on.
    func refuseReaders(of loop: LoopID) {
        let requests = reads.remove(loop)
        if !requests.isEmpty { giveNoModel(of: loop, to: requests) }
    }

    func giveNoModel(of id: LoopID, to requests: [RequestID]) {
        guard held[id] != nil else {
            for request in requests { give(.notFound, to: request) }
            return
        }
        let reason = "The loop \(id) is held, so it has no model: `mobius quarantine show \(id)` shows why."
        refuse(requests, ClientRefusal(.held, reason))
    }

    private func refuse(_ requests: [RequestID], _ refusal: ClientRefusal) {
        for request in requests { give(.refused(refusal), to: request) }
    }
}

/// A model in bytes, and the requests that it answers once its events are on disk.
package struct EncodedModel {
    package let requests: [RequestID]
    package let summary: ModelSummary
    package let model: Payload
}
