package import MobiusEngine
import MobiusJournal
package import MobiusWire

// Models of the past: computed one at a time by replay, on a thread of their own, so that no event waits for them.
extension DurableHost {
    package func model(of id: LoopID, after sequence: UInt64, _ request: RequestID) {
        guard hosted(id) != nil || held[id] != nil || end(id) != nil else { return give(.notFound, to: request) }
        guard let past = setting.past else { return give(Self.noPast, to: request) }
        read(past, of: id, after: sequence, request)
    }

    /// Answers with a page of a loop's history in which each event has the model after it.
    ///
    /// - Parameter page: Reads the page; `nil` when there is no such loop.
    func readModels(
        of loop: LoopID, _ request: RequestID,
        page: @escaping @Sendable (any JournalReading) throws(JournalError) -> HistoryPage?
    ) {
        guard let past = setting.past else { return give(Self.noPast, to: request) }
        let reading = Reading(setting)
        past.read { [crashes] journal throws(JournalError) in
            guard var page = try page(journal) else { return reading.post(.answer(request, .notFound)) }
            reading.addModels(to: &page, of: loop, journal, crashes)
            reading.post(.answer(request, .history(page)))
        } failed: {
            reading.post(.readFailed(request, $0))
        }
    }

    private static var noPast: ClientAnswer {
        let reason = "This coordinator keeps no journal on disk, so it knows the current model only."
        return .refused(ClientRefusal(.unsupported, reason))
    }

    /// Answers with the model of a loop after an event.
    ///
    /// - Parameter isHeld: Whether it is the model of a held loop that was asked for, without a number.
    func read(
        _ past: any JournalQueries, of loop: LoopID, after sequence: UInt64, isHeld: Bool = false, _ request: RequestID
    ) {
        let reading = Reading(setting)
        past.read { [crashes] journal throws(JournalError) in
            var answer = reading.model(of: loop, after: sequence, journal, crashes)
            if isHeld, case .model(var summary, let model) = answer {
                summary.isHeld = true
                answer = .model(summary, model: model)
            }
            reading.post(.answer(request, answer))
        } failed: {
            reading.post(.readFailed(request, $0))
        }
    }

    /// The parts with which a model of the past is computed on another thread.
    private struct Reading: Sendable {
        let recovery: LoopRecovery<Program>
        let journal: JournalID
        let sandbox: (any ProgramSandbox)?
        let breadcrumbs: (any Breadcrumbs)?
        let post: @Sendable (Input) -> Void

        init(_ setting: Dependencies) {
            (recovery, journal, sandbox) = (setting.preparer, setting.status.journal, setting.sandbox)
            (breadcrumbs, post) = (setting.breadcrumbs, setting.post)
        }

        func model(
            of loop: LoopID, after sequence: UInt64, _ store: any JournalReading, _ crashes: CrashLedger
        ) -> ClientAnswer {
            do {
                let found = try models(of: loop, from: sequence, to: sequence, store, crashes)
                if let failure = found.failure { throw failure }
                guard let model = found.models.first?.model else {
                    let reason =
                        "The newest event of loop \(loop) is \(found.newest), so there is none \(sequence) yet."
                    return .refused(ClientRefusal(.unknownEvent, reason))
                }
                guard model.bytes.count <= Int(PayloadLimit.range.upperBound) else {
                    let reason = "That model has \(model.bytes.count) bytes, more than a message may have."
                    return .refused(ClientRefusal(.tooLarge, reason))
                }
                let version = ModelVersion(journal: journal, sequence: sequence)
                return .model(ModelSummary(loop: loop, version: version, build: recovery.build), model: model)
            } catch {
                return .refused(Self.refusal(for: error))
            }
        }

        /// Gives each event of a page the model after it; a page without room for all of them ends earlier.
        func addModels(
            to page: inout HistoryPage, of loop: LoopID, _ store: any JournalReading, _ crashes: CrashLedger
        ) {
            let events = page.entries.filter { $0.place.part == 0 }.map(\.place.sequence)
            guard let first = events.first, let last = events.last else { return }
            let found: ReplayedModels
            do throws(SandboxFailure) {
                found = try models(of: loop, from: first, to: last, store, crashes)
            } catch {
                found = ReplayedModels(failure: error)
            }
            var models = Dictionary(uniqueKeysWithValues: found.models.map { ($0.sequence, $0.model) })
            // Models are known from a snapshot on, where the loop's start is not kept.
            let missing =
                found.failure.map { Self.refusal(for: $0).reason }
                ?? LoopReplay<Program>.missing(from: found.models.first?.sequence, of: loop).message
            for place in page.entries.indices where page.entries[place].place.part == 0 {
                let sequence = page.entries[place].place.sequence
                if let model = models.removeValue(forKey: sequence) {
                    page.entries[place].after = HistoryModel(model)
                } else if found.hasRoom || found.models.first.map({ sequence < $0.sequence }) ?? true {
                    page.entries[place].after = HistoryModel(reason: missing)
                } else {
                    page.entries.removeSubrange(place...)
                    page.more = true
                    return
                }
            }
        }

        private func models(
            of loop: LoopID, from first: UInt64, to last: UInt64, _ store: any JournalReading, _ crashes: CrashLedger
        ) throws(SandboxFailure) -> ReplayedModels {
            let replay = LoopReplay(
                recovery, store, of: loop, to: last,
                trail: sandbox == nil ? breadcrumbs.map { $0.trail(.past) } : nil, crashes: crashes)
            guard let sandbox else { return replay.models(from: first) }
            return try replay.models(from: first, in: sandbox)
        }

        private static func refusal(for error: any Error) -> ClientRefusal {
            switch error {
            case let error as CoordinatorError: ClientRefusal(.unknownEvent, error.message)
            case let error as JournalError: ClientRefusal(.damaged, error.message)
            case let failure as SandboxFailure:
                ClientRefusal(.unsupported, "The model cannot be computed: \(failure.reason).")
            default: ClientRefusal(.unsupported, "The model cannot be computed: \(error).")
            }
        }
    }
}
