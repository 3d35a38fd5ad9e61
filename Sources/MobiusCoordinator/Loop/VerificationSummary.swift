public import Logging
public import MobiusCore
import MobiusDriver
import MobiusJournal
import MobiusJournalSQLite
public import MobiusProgram
import MobiusWire

/// The result of verifying a journal by replay.
public struct VerificationSummary: Sendable, CustomStringConvertible {
    /// The number of loops that were replayed.
    public internal(set) var loops = 0
    /// The number of events that were applied.
    public internal(set) var events = 0
    /// The number of snapshots whose model is equal to the replayed one.
    public internal(set) var models = 0
    /// The number of snapshots whose model differs or could not be compared; there is a remark for each.
    public internal(set) var differingModels = 0
    /// Sentences for operators; none of them prevents the coordinator from running.
    public package(set) var remarks: [String] = []
    /// The loops for which `update` is not pure, and what was found of each.
    var impure: [(loop: LoopID, reason: String)] = []

    package init() {}

    /// A line with the numbers, one line each for the first five remarks, and one that counts the others.
    public var description: String {
        let figures = [count(loops, "loop"), "\(count(events, "event")) replayed", comparison]
        let rest = remarks.count - Self.shown
        return
            ([figures.joined(separator: ", ")] + remarks.prefix(Self.shown)
            + (rest > 0 ? ["… and \(count(rest, "more remark"))."] : [])).joined(separator: "\n")
    }

    /// The number of loops that are named.
    private static let shown = 5

    /// The error about an impure `update`; `nil` when it is pure.
    var impurity: CoordinatorError? {
        guard let first = impure.first else { return nil }
        let others = impure.dropFirst().prefix(Self.shown).map(\.loop.name).joined(separator: ", ")
        let more = impure.count > Self.shown + 1 ? ", …" : ""
        let rest =
            impure.count > 1 ? " The same is true of \(count(impure.count - 1, "other loop")): \(others)\(more)." : ""
        return CoordinatorError(.impure, "Loop \(first.loop): \(first.reason). \(ImpureUpdate.advice)\(rest)")
    }

    private var comparison: String {
        switch (models, differingModels) {
        case (0, 0): "no model is kept yet to compare with"
        case (1, 0): "the one kept model came out the same"
        case (_, 0): "all \(models) kept models came out the same"
        case (_, let others): "\(models) of \(count(models + others, "kept model")) came out the same"
        }
    }

    private func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }

    mutating func add<Program: LoopProgram>(_ prepared: PreparedLoop<Program>) {
        loops += 1
        events += prepared.stats.events
        switch prepared.check {
        case .unneeded: break
        case .passed(let checked):
            events += checked
            models += 1
        case .impossible(let reason):
            differingModels += 1
            remarks.append("Loop \(prepared.loop.id): its model could not be checked: \(reason).")
        case .diverged(let divergence, let builds):
            differingModels += 1
            let writers = builds.joined(separator: ", ")
            remarks.append("Loop \(prepared.loop.id): \(divergence.words); the events were written by \(writers).")
        }
    }
}

extension Coordinator {
    /// Replays all events in a journal, and compares the resulting models with its snapshots; changes nothing.
    ///
    /// Each loop is replayed twice, so that an `update` that is not pure is found also where no model of this build is kept.
    /// The journal may be in use. The call blocks its thread for as long as the replays take.
    ///
    /// - Throws: ``CoordinatorError`` with code `impure` when `update` computes a different model than this same build
    ///   computed from the same events, or different ones in two replays; or `noJournal` without a journal; `JournalError` when the journal is damaged or
    ///   contains data that this build cannot read.
    public static func verify(
        _ settings: CoordinatorSettings, routes: EffectRouter<Program.Effect, Program.Event>,
        logger: Logger = Logger(label: "coordinator")
    ) throws -> VerificationSummary {
        try verify(settings, SingleProgram<Program>(routes), logger: logger)
    }

    static func verify(
        _ settings: CoordinatorSettings, _ functions: any ProgramFunctions<Program>, logger: Logger
    ) throws -> VerificationSummary {
        guard settings.journal != .none else {
            throw CoordinatorError(.noJournal, "Without a journal there is nothing to verify: name one with --journal.")
        }
        var summary = VerificationSummary()
        for (shard, _) in try settings.journalShards() {
            guard let journal = try settings.journalReader(of: shard)?() else { continue }
            try verify(journal, functions, logger, &summary)
        }
        if let impurity = summary.impurity { throw impurity }
        return summary
    }

    private static func verify(
        _ journal: any JournalReading, _ functions: any ProgramFunctions<Program>, _ logger: Logger,
        _ summary: inout VerificationSummary
    ) throws {
        let preparer = LoopRecovery<Program>(ProgramCalls(functions), build: BuildIdentity.current, logger: logger)
        let crashes = CrashLedger(try journal.crashes())
        let loops = try journal.loops()
        journal.prefetch(loops)
        for id in loops where try !preparer.isLeft(id, in: journal) {
            switch try preparer.prepare(id, from: journal, trail: nil, crashes: crashes) {
            case .ready(let prepared):
                summary.add(prepared)
                // What follows the newest snapshot, or everything where there is none, is compared with nothing else.
                guard
                    case .ready(let again) = try preparer.prepare(
                        id, from: journal, trail: nil, crashes: crashes, checksModel: false),
                    let first = prepared.lastSequence, first == again.lastSequence,
                    !preparer.calls.areEqual(
                        prepared.loop.model, again.loop.model, of: id, after: first, nil)
                else { continue }
                summary.impure.append((id, ImpureUpdate.twoReplays(of: 0...first).reason))
            case .ended: break
            case .held(let held):
                if case .impure(let reason) = held.cause {
                    summary.impure.append((id, reason))
                    continue
                }
                guard held.crashed != nil else {
                    throw JournalError(
                        .foreign, "Loop \(id) cannot be replayed: \(held.source). Run the build that wrote it.")
                }
                summary.remarks.append("Loop \(id) is held and was not replayed: \(held.source).")
            }
        }
    }
}

extension Coordinator where Program == Programs {
    /// Replays all events in a journal of several programs: see ``verify(_:routes:logger:)``.
    public static func verify(
        _ settings: CoordinatorSettings, programs: Programs, logger: Logger = Logger(label: "coordinator")
    ) throws -> VerificationSummary {
        try verify(settings, SeveralPrograms(programs), logger: logger)
    }
}
