import Logging
import MobiusCore
import MobiusJournal
import MobiusProgram
import MobiusWire

/// Checks that replaying what lies between the two snapshots of a loop makes the model that was kept.
///
/// A model that differs tells that `update` is not pure, or that another build had another `update`.
struct ModelCheck<Program: LoopProgram> {
    let preparer: LoopPreparer<Program>
    let store: any JournalReading
    let trail: EventTrail?
    let crashes: CrashLedger

    /// The loop as of the newest snapshot, when replaying leads to just that; without it the snapshot itself must do.
    ///
    /// - Throws: ``CoordinatorError`` with code `impure` when this very build made another model of the same events;
    ///   `JournalError`.
    func replayed(to newest: Snapshot, of id: LoopID) throws -> (loop: TypedLoop<Program>?, CheckResult) {
        let own = preparer.codings.models.kind
        guard newest.model.kind.type == own.type, newest.model.kind.version == own.version else {
            return (
                nil, .impossible("its model was written as \(newest.model.kind.type), \(newest.model.kind.version)")
            )
        }
        guard let start = try start(of: id) else {
            return (nil, .impossible("the snapshot before cannot be read any more"))
        }
        guard !crashes.hasTrappedChecking(id, in: start.sequence...newest.sequence) else {
            let why = "an event before the snapshot ended the process"
            preparer.logger.warning("a model could not be checked", metadata: ["loop": "\(id)", "reason": "\(why)"])
            return (nil, .impossible(why))
        }
        let loop = preparer.typed(id, start.model)
        guard let events = try replay(onto: loop) else {
            return (nil, .impossible("an event before the snapshot cannot be read any more"))
        }
        // In the coding that it was kept in, which may be that of an earlier build.
        guard let payload = try? preparer.codings.models.encode(loop.model, as: newest.model.kind.contentType) else {
            return (nil, .impossible("its model was written as \(newest.model.kind.contentType)"))
        }
        let hash = FNV1a.hash(payload.bytes)
        guard hash != newest.hash else { return (loop, .passed(events: events)) }
        guard let kept = try? preparer.codings.models.decode(newest.model) else {
            return (nil, .impossible("the snapshot cannot be read"))
        }
        guard !ModelEquality.holds(loop.model, kept, coded: payload, newest.model) else {
            return (loop, .passed(events: events))
        }
        let divergence = Divergence(
            loop: id, first: min(start.sequence + 1, newest.sequence), last: newest.sequence, kept: newest.hash,
            replayed: hash)
        let builds = try store.builds(of: id, in: divergence.first...divergence.last)
        guard builds.contains(where: { $0 != preparer.build }) else { throw divergence.error }
        preparer.logger.warning(
            "replayed by this build, events make another model than was kept; the loop goes on from the kept one",
            metadata: divergence.metadata.merging(["builds": "\(builds.joined(separator: ", "))"]) { $1 })
        return (nil, .diverged(divergence, builds: builds))
    }

    private func start(of id: LoopID) throws -> (model: Program.Model, sequence: UInt64)? {
        // With one snapshot only, all records from the loop's start are there.
        guard let older = try store.olderSnapshot(of: id) else { return (preparer.first().model, 0) }
        guard let model = try? preparer.codings.models.decode(older.model) else { return nil }
        return (model, older.sequence)
    }

    /// What cannot be read any more need not be: the newest snapshot is behind it.
    private func replay(onto loop: TypedLoop<Program>) throws -> Int? {
        var events = 0
        do {
            try store.readBetweenSnapshots(of: loop.id) { record in
                guard case .event(let event) = record else { return }
                try preparer.apply(event, to: loop, trail)
                events += 1
            }
        } catch let error as JournalError {
            throw error
        } catch {
            return nil
        }
        return events
    }
}

/// What came of checking a snapshot.
package enum CheckResult {
    /// There is none.
    case unneeded
    /// Replaying so many events makes just that model.
    case passed(events: Int)
    /// It could not be checked; the reason is a part of a sentence.
    case impossible(String)
    /// Another build made another model of the same events.
    case diverged(Divergence, builds: [String])
}

/// Two models of one loop after the same events.
package struct Divergence {
    let loop: LoopID
    let first: UInt64
    let last: UInt64
    let kept: UInt64
    let replayed: UInt64

    var error: CoordinatorError {
        CoordinatorError(
            .impure,
            """
            Loop \(loop): replaying its events \(first) to \(last) makes another model (hash \(text(replayed))) than was kept \
            by the same build (\(text(kept))): update is not pure. Look in it, and in the coding of the model, for clocks, \
            random numbers, identifiers drawn anew, the order of a Set or Dictionary, and anything outside of model and \
            event. A mended build says so once more, as a warning, and goes on from the model that was kept.
            """)
    }

    var metadata: [String: Logger.MetadataValue] {
        [
            "loop": "\(loop)", "events": "\(first)...\(last)", "kept": "\(text(kept))", "replayed": "\(text(replayed))",
        ]
    }

    /// For people, after the loop's name.
    package var words: String {
        "events \(first) to \(last) make another model by this build (\(text(replayed))) than was kept (\(text(kept)))"
    }

    private func text(_ hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
