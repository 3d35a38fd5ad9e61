package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// Reads a journal for models of the past, beside the coordinator's own work.
package struct PastJournal: Sendable {
    /// Calls its argument on another thread, with a view of the journal for reading only, which ends with the call.
    package let read: @Sendable (@escaping @Sendable (Result<any JournalReading, JournalError>) -> Void) -> Void

    package init(
        _ read: @escaping @Sendable (@escaping @Sendable (Result<any JournalReading, JournalError>) -> Void) -> Void
    ) {
        self.read = read
    }
}

/// A request for the model of a loop after an event.
struct PastRead {
    let loop: LoopID
    let sequence: UInt64
    let request: RequestID
    /// Whether it is the model of a held loop that was asked for, without a number.
    var isHeld = false
}

// Models of the past: computed one at a time by replay, on a thread of their own, so that no event waits for them.
extension DurableHost {
    package func model(of id: LoopID, after sequence: UInt64, _ request: RequestID) {
        guard hosted(id) != nil || held[id] != nil || end(id) != nil else { return give(.notFound, to: request) }
        guard setting.past != nil else {
            let reason = "This coordinator keeps no journal on disk, so it knows the current model only."
            return give(.refused(ClientRefusal(.unsupported, reason)), to: request)
        }
        read(PastRead(loop: id, sequence: sequence, request: request))
    }

    func read(_ wish: PastRead) {
        pasts.append(wish)
        if pasts.count == 1 { readPast() }
    }

    private func readPast() {
        guard let wish = pasts.first, let past = setting.past else { return }
        past.read { [setting = Reading(setting), crashes] store in
            setting.post(.past(setting.answer(to: wish, store, crashes)))
        }
    }

    /// Answers the first request for a model of the past, and computes the next one.
    func endPast(_ answer: ClientAnswer) {
        guard !pasts.isEmpty else { return }
        let wish = pasts.removeFirst()
        if wish.isHeld, case .model(var summary, let model) = answer {
            summary.isHeld = true
            give(.model(summary, model: model), to: wish.request)
        } else {
            give(answer, to: wish.request)
        }
        readPast()
    }

    /// What a model of the past is computed with, on another thread.
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

        func answer(
            to wish: PastRead, _ store: Result<any JournalReading, JournalError>, _ crashes: CrashLedger
        ) -> ClientAnswer {
            do {
                let replay = LoopReplay(
                    recovery, try store.get(), of: wish.loop, to: wish.sequence,
                    trail: sandbox == nil ? breadcrumbs.map { $0.trail(.past) } : nil, crashes: crashes)
                let (newest, model) = try sandbox.map { try replay.lastModel(in: $0) } ?? replay.lastModel()
                guard let model else {
                    let reason =
                        "The newest event of loop \(wish.loop) is \(newest), so there is none \(wish.sequence) yet."
                    return .refused(ClientRefusal(.unknownEvent, reason))
                }
                guard model.bytes.count <= Int(PayloadLimit.range.upperBound) else {
                    let reason = "That model has \(model.bytes.count) bytes, more than a message may have."
                    return .refused(ClientRefusal(.tooLarge, reason))
                }
                let version = ModelVersion(journal: journal, sequence: wish.sequence)
                return .model(ModelSummary(loop: wish.loop, version: version, build: recovery.build), model: model)
            } catch let error as CoordinatorError {
                return .refused(ClientRefusal(.unknownEvent, error.message))
            } catch let error as JournalError {
                return .refused(ClientRefusal(.damaged, error.message))
            } catch let failure as SandboxFailure {
                return .refused(ClientRefusal(.unsupported, "The model cannot be computed: \(failure.reason)."))
            } catch {
                return .refused(ClientRefusal(.unsupported, "The model cannot be computed: \(error)."))
            }
        }
    }
}
