public import Logging
public import MobiusCore
import MobiusDriver
import MobiusJournal
import MobiusJournalSQLite
import MobiusProgram
import MobiusWire

/// What replaying a whole journal showed.
public struct VerificationSummary: Sendable, CustomStringConvertible {
    /// How many loops were replayed.
    public internal(set) var loops = 0
    /// How many events were applied.
    public internal(set) var events = 0
    /// How many models that the journal keeps came out the same.
    public internal(set) var models = 0
    /// How many came out as others, or could not be compared; a remark tells about each.
    public internal(set) var otherModels = 0
    /// What an operator should know, a sentence each; nothing of it keeps the coordinator from running.
    public internal(set) var remarks: [String] = []

    /// A line of figures, and one for each remark.
    public var description: String {
        let figures = [count(loops, "loop"), "\(count(events, "event")) replayed", comparison]
        return ([figures.joined(separator: ", ")] + remarks).joined(separator: "\n")
    }

    private var comparison: String {
        switch (models, otherModels) {
        case (0, 0): "no model is kept yet to compare with"
        case (1, 0): "the one kept model came out the same"
        case (_, 0): "all \(models) kept models came out the same"
        case (_, let others): "\(models) of \(count(models + others, "kept model")) came out the same"
        }
    }

    private func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }

    mutating func add<Program: LoopProgram>(_ prepared: PreparedLoop<Program>) {
        loops += 1
        events += prepared.tail.events
        switch prepared.check {
        case .unneeded: break
        case .passed(let checked):
            events += checked
            models += 1
        case .impossible(let reason):
            otherModels += 1
            remarks.append("Loop \(prepared.loop.id): its model could not be checked: \(reason).")
        case .diverged(let divergence, let builds):
            otherModels += 1
            remarks.append(
                "Loop \(prepared.loop.id): \(divergence.words); the events were written by \(builds.joined(separator: ", "))."
            )
        }
    }
}

extension Coordinator {
    /// Replays all that a journal holds, and compares the models that it keeps with those that come out; changes nothing.
    ///
    /// The journal may be in use. It holds up its caller for as long as replaying takes.
    ///
    /// - Throws: ``CoordinatorError`` with code `impure` when `update` makes another model than this very build made of the
    ///   same events; `JournalError` when the journal is damaged, or holds something that this build cannot read.
    public static func verify(
        _ settings: CoordinatorSettings, routes: EffectRouter<Program.Effect, Program.Event>,
        logger: Logger = Logger(label: "coordinator")
    ) throws -> VerificationSummary {
        guard case .file(let path) = settings.journal else {
            throw CoordinatorError(.noJournal, "Without a journal there is nothing to verify: name one with --journal.")
        }
        let journal = try JournalInspector(path: path, freezes: true)
        defer { journal.close() }
        let preparer = LoopPreparer<Program>(
            routes: routes, codings: ProgramCodings(), build: BuildIdentity.current, logger: logger)
        let crashes = CrashLedger(try journal.crashes())
        var summary = VerificationSummary()
        for id in try journal.loops() {
            switch try preparer.prepare(id, from: journal, trail: nil, crashes: crashes) {
            case .ready(let prepared): summary.add(prepared)
            case .held(let held):
                guard held.crashed != nil else {
                    throw JournalError(
                        .foreign, "Loop \(id) cannot be replayed: \(held.source). Run the build that wrote it.")
                }
                summary.remarks.append("Loop \(id) is held and was not replayed: \(held.source).")
            }
        }
        return summary
    }
}
