import MobiusCodec
package import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Models and histories for clients.
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
            guard end == nil else {
                let reason = "The loop \(id) has ended: its last model is the one of event \(sequence)."
                return give(.refused(ClientRefusal(.ended, reason)), to: request)
            }
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

    // MARK: - Histories

    /// The most entries of a page, and the payload bytes after which it ends: a commit waits for one page at most.
    private static var historyPage: (entries: Int, bytes: Int) { (256, 256 << 10) }

    package func history(_ wish: HistoryRequest, _ request: RequestID) {
        guard hosted(wish.loop) != nil || held[wish.loop] != nil || end(wish.loop) != nil || awayCount > 0 else {
            give(.notFound, to: request)
            return
        }
        histories.append((request, wish))
        if histories.count == 1 { readHistory() }
    }

    /// Reads the first history's page on the journal thread; the next is read after other waiting commits.
    private func readHistory() {
        guard let (request, wish) = histories.first else { return }
        let range = JournalRange(wish, Self.historyPage.entries, Self.historyPage.bytes)
        setting.journal.perform { [post = setting.post] store in
            do throws(JournalError) {
                post(.history(try store.entries(of: wish.loop, range)))
            } catch {
                post(.readFailed(request, error))
            }
        }
    }

    func read(_ page: JournalPage) {
        guard let (_, wish) = histories.first else { return }
        // The journal knows whether a loop exists that is not in memory.
        let isKnown = hosted(wish.loop) != nil || held[wish.loop] != nil || end(wish.loop) != nil
        guard isKnown || page.first != nil else { return endHistory(.notFound) }
        endHistory(
            .history(
                HistoryPage(
                    page.entries.map { HistoryEntry($0, of: wish.loop) }, first: page.first, more: page.more)))
    }

    /// Answers the first request for a history, and reads the next one.
    func endHistory(_ answer: ClientAnswer) {
        let (request, wish) = histories.removeFirst()
        if masksPayloads { historyLoops[request] = wish.loop }
        give(answer, to: request)
        readHistory()
    }
}

/// A model in bytes, and the requests that it answers once its events are on disk.
package struct EncodedModel {
    package let requests: [RequestID]
    package let summary: ModelSummary
    package let model: Payload
}

extension JournalRange {
    fileprivate init(_ wish: HistoryRequest, _ most: Int, _ bytes: Int) {
        let first = HistoryPlace(sequence: wish.first ?? 0)
        let begin = max(first, wish.after.map(\.next) ?? first)
        let limit = wish.limit == 0 ? most : min(most, Int(wish.limit))
        self.init(from: begin.sequence, part: begin.part, to: wish.last ?? .max, limit: limit, bytes: bytes)
    }
}

extension HistoryPlace {
    /// The first place behind this one; a place that does not exist, and the last of all, are left as they are.
    fileprivate var next: HistoryPlace {
        if part < .max { return HistoryPlace(sequence: sequence, part: part + 1) }
        return sequence < .max ? HistoryPlace(sequence: sequence + 1) : self
    }
}
