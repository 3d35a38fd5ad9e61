package import MobiusEngine
import MobiusJournal
package import MobiusWire

// Models of the past: computed one at a time by replay, on a thread of their own, so that no event waits for them.
extension DurableHost {
    package func model(of id: LoopID, after sequence: UInt64, _ request: RequestID) {
        guard hosted(id) != nil || held[id] != nil || end(id) != nil else { return give(.notFound, to: request) }
        guard let past = setting.past else {
            let reason = "This coordinator keeps no journal on disk, so it knows the current model only."
            return give(.refused(ClientRefusal(.unsupported, reason)), to: request)
        }
        read(past, of: id, after: sequence, request)
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
                let replay = LoopReplay(
                    recovery, store, of: loop, to: sequence,
                    trail: sandbox == nil ? breadcrumbs.map { $0.trail(.past) } : nil, crashes: crashes)
                let (newest, model) = try sandbox.map { try replay.lastModel(in: $0) } ?? replay.lastModel()
                guard let model else {
                    let reason =
                        "The newest event of loop \(loop) is \(newest), so there is none \(sequence) yet."
                    return .refused(ClientRefusal(.unknownEvent, reason))
                }
                guard model.bytes.count <= Int(PayloadLimit.range.upperBound) else {
                    let reason = "That model has \(model.bytes.count) bytes, more than a message may have."
                    return .refused(ClientRefusal(.tooLarge, reason))
                }
                let version = ModelVersion(journal: journal, sequence: sequence)
                return .model(ModelSummary(loop: loop, version: version, build: recovery.build), model: model)
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
