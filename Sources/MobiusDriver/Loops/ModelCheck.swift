import Logging
import MobiusCodec
import MobiusCore
import MobiusJournal
import MobiusProgram
import MobiusWire

/// Checks that replaying the events between a loop's two snapshots yields the model of the newer snapshot.
///
/// A different model means that `update` is not pure, or that another build had a different `update`.
struct ModelCheck<Program: LoopProgram> {
    let preparer: LoopRecovery<Program>
    let store: any JournalReading
    let trail: EventTrail?
    let crashes: CrashLedger

    /// Returns the loop as of the newest snapshot if replay yields the snapshot's model, otherwise `nil` for the loop.
    ///
    /// With `nil`, the caller starts from the snapshot itself.
    ///
    /// - Throws: ``ImpureUpdate`` when this same build computed a different model from the same events, or computes
    ///   different ones in two replays; `JournalError`.
    func replayed(to newest: Snapshot, of id: LoopID) throws -> (loop: GuardedLoop<Program>?, CheckResult) {
        guard let own = preparer.calls.modelKind(of: id), newest.model.kind.type == own.type,
            newest.model.kind.version == own.version
        else {
            return (
                nil, .impossible("its model was written as \(newest.model.kind.type), \(newest.model.kind.version)")
            )
        }
        // With a single snapshot, the journal has all records from the loop's start.
        let older = try store.olderSnapshot(of: id)
        let start = older?.sequence ?? 0
        guard !crashes.hasTrapped(replaying: id, in: min(start, newest.sequence)...newest.sequence) else {
            let why = "an event before the snapshot trapped the process"
            preparer.logger.warning("a model could not be checked", metadata: ["loop": "\(id)", "reason": "\(why)"])
            return (nil, .impossible(why))
        }
        let first: GuardedLoop<Program>?
        do {
            first = try older.map { try self.loop($0) }
        } catch {
            return (nil, .impossible("the earlier snapshot can no longer be read"))
        }
        guard let (loop, events) = try replay(of: id, from: first) else {
            return (nil, .impossible("an event before the snapshot can no longer be read"))
        }
        let hash: UInt64
        switch preparer.calls.compare(loop.model, with: newest, trail) {
        case .same: return (loop, .passed(events: events))
        case .impossible(let why): return (nil, .impossible(why))
        case .different(let other): hash = other
        }
        let divergence = Divergence(
            loop: id, first: min(start + 1, newest.sequence), last: newest.sequence, kept: newest.hash, replayed: hash)
        let builds = try store.builds(of: id, in: divergence.first...divergence.last)
        guard builds.contains(where: { $0 != preparer.build }) else { throw divergence.impurity }
        // Another build may have had another update; this one must at least agree with itself.
        guard let (second, _) = try replay(of: id, from: older.map({ try self.loop($0) })),
            preparer.calls.areEqual(loop.model, second.model, of: id, after: newest.sequence, trail)
        else {
            throw ImpureUpdate.twoReplays(of: divergence.first...divergence.last)
        }
        return (nil, .diverged(divergence, builds: builds))
    }

    private func loop(_ snapshot: Snapshot) throws(CodingFailure) -> GuardedLoop<Program> {
        preparer.calls.loop(snapshot.loop, try preparer.calls.model(of: snapshot, trail))
    }

    /// Returns the replayed loop and the number of its events, or `nil` when one can no longer be read.
    ///
    /// Recovery does not need these events, because the newest snapshot covers them.
    private func replay(
        of id: LoopID, from first: GuardedLoop<Program>?
    ) throws -> (loop: GuardedLoop<Program>, events: Int)? {
        var loop = first
        var events = 0
        do {
            try store.readBetweenSnapshots(of: id) { record in
                guard case .event(let event) = record else { return }
                try preparer.apply(event, to: &loop, trail)
                events += 1
            }
        } catch let error as JournalError {
            throw error
        } catch {
            return nil
        }
        return loop.map { ($0, events) }
    }
}

/// The result of checking a snapshot.
package enum CheckResult {
    /// There is no snapshot to check.
    case unneeded
    /// Replaying this many events yields the snapshot's model.
    case passed(events: Int)
    /// The snapshot could not be checked; the reason is a clause without a full stop.
    case impossible(String)
    /// Replay yields a different model than the snapshot, and other builds wrote some of the events.
    case diverged(Divergence, builds: [String])
}

/// A loop's `update` computes different models from the same events.
package struct ImpureUpdate: Error {
    let sequence: UInt64
    /// The finding, as a clause without a full stop.
    package let reason: String

    /// Two replays with this build differ.
    package static func twoReplays(of events: ClosedRange<UInt64>) -> ImpureUpdate {
        ImpureUpdate(
            sequence: events.upperBound,
            reason: """
                two replays of its events \(events.lowerBound) to \(events.upperBound) with this build yield different \
                models: update is not pure
                """)
    }

    /// The advice on what to search for.
    package static let advice = """
        Check update and the model's coding for clocks, random numbers, newly generated identifiers, the order of a Set \
        or Dictionary, and any input other than model and event. The journal is sound: a corrected build reports the \
        difference once more, as a warning, and continues from the snapshot.
        """
}

/// Two different models of one loop after the same events, by their hashes.
package struct Divergence {
    let loop: LoopID
    let first: UInt64
    let last: UInt64
    let kept: UInt64
    let replayed: UInt64

    var impurity: ImpureUpdate {
        ImpureUpdate(
            sequence: last,
            reason: """
                replaying its events \(first) to \(last) yields a different model (hash \(text(replayed))) than the \
                snapshot of the same build (hash \(text(kept))): update is not pure
                """)
    }

    /// Logs that the loop continues from its snapshot.
    func log(builds: [String], to logger: Logger) {
        logger.warning(
            "replay with this build yields a different model than the snapshot; the loop continues from the snapshot",
            metadata: metadata.merging(["builds": "\(builds.joined(separator: ", "))"]) { $1 })
    }

    private var metadata: [String: Logger.MetadataValue] {
        [
            "loop": "\(loop)", "events": "\(first)...\(last)", "kept": "\(text(kept))", "replayed": "\(text(replayed))",
        ]
    }

    /// A description for operators, to be printed after the loop's name.
    package var words: String {
        """
        events \(first) to \(last) yield a different model with this build (\(text(replayed))) than in the snapshot \
        (\(text(kept)))
        """
    }

    private func text(_ hash: UInt64) -> String { FNV1a.text(hash) }
}
