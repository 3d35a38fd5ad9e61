import Logging
import MobiusCodec
public import MobiusCore
import MobiusDriver
import MobiusJournal
import MobiusJournalSQLite
import MobiusProcess
public import MobiusProgram
public import MobiusWire

/// An event of a journal, applied again by this build.
public struct ReplayedEvent<Program: LoopProgram>: Sendable {
    /// The event's number in its loop: 0 for the loop's start.
    public let sequence: UInt64
    /// The model after the event.
    public let model: Program.Model
    /// The effects that `update` returned for the event; empty for the snapshot with which a replay starts.
    public let effects: [Program.Effect]

    let loop: LoopID
    let record: EventRecord?

    fileprivate init(_ step: LoopReplay<Program>.Step, of loop: LoopID) {
        (sequence, model, effects) = (step.sequence, step.model, step.effects)
        (self.loop, record) = (loop, step.record)
    }

    /// One JSON object: loop, number, time, cause, event, model, digest of the model, effects.
    fileprivate func line(_ functions: any ProgramFunctions<Program>) throws -> String {
        var line = JSONLine()
        line.set("loop", loop.name)
        line.set("sequence", sequence)
        line.set("time", record?.time)
        line.set("cause", record?.source.words ?? "a snapshot")
        if let event = record?.event { line.set("event", event) }
        let coded = try functions.encode(model, of: loop, as: nil)
        line.set("model", coded)
        line.set("digest", FNV1a.text(FNV1a.hash(coded.bytes)))
        line.set(
            "effects",
            try effects.map { effect in
                var line = JSONLine()
                line.set("effect", try functions.encode(effect: effect, of: loop))
                return line
            })
        return line.text
    }
}

extension Coordinator {
    /// Applies the events of a loop in a journal again, one after the other; changes nothing.
    ///
    /// It starts from the loop's beginning if the journal keeps all its events (`keepsHistory`), otherwise from the
    /// earliest snapshot, which is then the first that `visit` gets. The journal may be in use: what is committed
    /// later is not seen. The call blocks its thread for as long as the replay takes.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - settings: Those of the coordinator; only the journal is used.
    ///   - routes: Those of the coordinator.
    ///   - last: The number of the last event to apply; `nil` for all.
    ///   - visit: Called with each event on the calling thread; an error ends the replay and is thrown.
    /// - Throws: ``CoordinatorError`` with code `noEvent` when the journal does not keep the loop or the event, or
    ///   `noJournal` without a journal; `JournalError` when the journal is damaged or contains an event that this build
    ///   cannot read; what `visit` throws.
    public static func replay(
        _ loop: LoopID, _ settings: CoordinatorSettings, routes: EffectRouter<Program.Effect, Program.Event>,
        to last: UInt64? = nil, _ visit: (ReplayedEvent<Program>) throws -> Void
    ) throws {
        try replay(loop, settings, SingleProgram<Program>(routes), to: last ?? .max, visit)
    }

    private static func replay(
        _ loop: LoopID, _ settings: CoordinatorSettings, _ functions: any ProgramFunctions<Program>,
        to last: UInt64, _ visit: (ReplayedEvent<Program>) throws -> Void
    ) throws {
        let shard = try settings.journalShards().first { $0.slices.contains(loop) }?.shard
        guard let journal = try settings.journalReader(of: shard ?? 0)?() else { throw noJournal }
        try replay(loop, recovery(functions), journal, to: last, visit)
    }

    private static var noJournal: CoordinatorError {
        CoordinatorError(.noJournal, "Without a journal there is nothing to replay: name one with --journal.")
    }

    private static func recovery(_ functions: any ProgramFunctions<Program>) -> LoopRecovery<Program> {
        LoopRecovery(ProgramCalls(functions), build: BuildIdentity.current, logger: Logger(label: "replay"))
    }

    private static func replay(
        _ loop: LoopID, _ recovery: LoopRecovery<Program>, _ journal: any JournalReading, to last: UInt64 = .max,
        _ visit: (ReplayedEvent<Program>) throws -> Void
    ) throws {
        let replay = LoopReplay(recovery, journal, of: loop, to: last, trail: nil, crashes: CrashLedger())
        try replay.run(from: nil) { step in
            try visit(ReplayedEvent(step, of: loop))
        }
    }

    /// Calls `print` with each event of all loops as a JSON line, loop after loop in the order of the bytes of their names.
    ///
    /// A loop that this build cannot replay further has a line with the reason, and the others follow.
    ///
    /// - Parameter digests: Whether lines have digests in place of models and effects.
    static func printReplay(
        ofAll settings: CoordinatorSettings, _ functions: any ProgramFunctions<Program>, digests: Bool,
        _ print: (String) -> Void
    ) throws {
        guard settings.journal != .none else { throw noJournal }
        let recovery = recovery(functions)
        var loops: [(loop: LoopID, journal: any JournalReading)] = []
        for (shard, _) in try settings.journalShards() {
            guard let journal = try settings.journalReader(of: shard)?() else { continue }
            loops += try journal.loops().map { ($0, journal) }
        }
        for (loop, journal) in loops.sorted(by: { $0.loop.name.utf8.lexicographicallyPrecedes($1.loop.name.utf8) })
        where try !recovery.isLeft(loop, in: journal) {
            var lines = DigestLines<Program>(of: loop, functions)
            do {
                try replay(loop, recovery, journal) { event in
                    print(try digests ? lines.line(of: event) : event.line(functions))
                }
            } catch let error as JournalError where error.code == .foreign {
                print(lines.line(because: error.description))
            } catch let error as CoordinatorError {
                print(lines.line(because: error.message))
            } catch let error as CodingFailure {
                print(lines.line(because: "\(error)"))
            }
        }
        if digests { print(DigestLines<Program>.end) }
    }

    /// Calls `print` with each event of a replay as a JSON line, or with that at `place` alone.
    static func printReplay(
        of loop: LoopID, _ settings: CoordinatorSettings, _ functions: any ProgramFunctions<Program>,
        at place: UInt64?, _ print: (String) -> Void
    ) throws {
        var newest: ReplayedEvent<Program>?
        try replay(loop, settings, functions, to: place ?? .max) { event in
            newest = event
            if place == nil { print(try event.line(functions)) }
        }
        guard let place, let newest else { return }
        guard newest.sequence == place else {
            throw CoordinatorError(
                .noEvent, "The newest event of loop \(loop) is \(newest.sequence): --at is beyond it.")
        }
        print(try newest.line(functions))
    }
}

extension Coordinator where Program == Programs {
    /// Applies the events of a loop of one of several programs again: see ``replay(_:_:routes:to:_:)``.
    public static func replay(
        _ loop: LoopID, _ settings: CoordinatorSettings, programs: Programs, to last: UInt64? = nil,
        _ visit: (ReplayedEvent<Programs>) throws -> Void
    ) throws {
        try replay(loop, settings, SeveralPrograms(programs), to: last ?? .max, visit)
    }
}
