import Logging
import MobiusCodec
import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Loops that have ended: they leave the memory, and their last models are read from the journal.
extension DurableHost {
    package func ended(_ loop: LoopID) {
        guard let hosted = loops.removeValue(forKey: loop) else { return }
        if last?.id == loop { last = nil }
        ending.append(hosted)
    }

    package func cancelLocal(_ id: AttemptID) { setting.locals.cancel(id) }

    /// The records of loops that ended are appended: keeps their last models.
    ///
    /// One that has begun again has later records, and needs none.
    func keepEnded(_ state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        for loop in ending where end(loop.id) != nil {
            if setting.journal.keepsSnapshots { snapshot(loop, state(loop.id)) } else { kept[loop.id] = loop }
        }
        ending.removeAll()
    }

    // MARK: - Reading

    /// A loop whose model is in memory, though it may have ended.
    func readable(_ id: LoopID) -> HostedLoop<Program>? {
        hosted(id) ?? ending.first { $0.id == id } ?? kept[id]
    }

    /// Reads the last model of an ended loop, after all records that were appended so far.
    func readEnded(_ end: EndedLoop, _ request: RequestID) {
        setting.journal.perform {
            [preparer = setting.preparer, post = setting.post, breadcrumbs = setting.breadcrumbs, crashes] store in
            do {
                let trail = breadcrumbs.map { $0.trail(.journal) }
                let model = try preparer.lastModel(of: end, from: store, trail: trail, crashes: crashes)
                post(.endedModel(end, request, .success(model)))
            } catch let error as JournalError {
                post(.readFailed(request, error))
            } catch {
                let error = error as? CoordinatorError ?? CoordinatorError(.program, "\(error)")
                post(.endedModel(end, request, .failure(error)))
            }
        }
    }

    /// The loop may have begun again meanwhile: the model is the one that was asked for.
    func endedModel(_ end: EndedLoop, _ model: Result<Payload, CoordinatorError>, _ request: RequestID) {
        let id = end.loop
        switch model {
        case .success(let model) where model.bytes.count <= Int(PayloadLimit.range.upperBound):
            let version = ModelVersion(journal: setting.status.journal, sequence: end.sequence)
            let summary = ModelSummary(loop: id, version: version, build: setting.preparer.build)
            give(.model(summary, model: model), to: request)
        case .success(let model):
            let reason = "The model of loop \(id) has \(model.bytes.count) bytes, more than a message may have."
            give(.refused(ClientRefusal(.tooLarge, reason)), to: request)
        case .failure(let error):
            let code = error.code == .noEvent ? ClientRefusal.Code.unknownEvent : .unsupported
            give(.refused(ClientRefusal(code, error.message)), to: request)
        }
    }

    // MARK: - Removing

    /// The loops, and the rows of each, that one slice removes; other commits can come between slices.
    private static var slice: (loops: Int, rows: Int) { (4, 512) }

    package func remove(_ loops: [LoopID]) {
        setting.journal.perform { [post = setting.post] store throws(JournalError) in
            var (removed, left) = ([LoopID](), loops)
            for loop in loops.prefix(Self.slice.loops) {
                guard try store.remove(ended: loop, rows: Self.slice.rows) else { break }
                removed.append(loop)
                left.removeFirst()
            }
            post(.removed(removed, left: left))
        }
    }

    func removed(_ loops: [LoopID], _ left: [LoopID], _ tell: (CoordinatorInput) throws -> Void) throws {
        for loop in loops {
            kept[loop] = nil
            letters.removed(loop)
        }
        if left.isEmpty { setting.preparer.logger.debug("ended loops removed", metadata: ["loops": "\(loops.count)"]) }
        if !left.isEmpty { remove(left) }
        try tell(.removed(loops))
    }
}
