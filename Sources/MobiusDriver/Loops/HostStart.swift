package import Logging
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
import MobiusRuntime
import MobiusWire

/// All loops of a journal, read back: the beginning of a coordinator's run.
package struct HostStart<Program: LoopProgram> {
    package private(set) var ready: [PreparedLoop<Program>] = []
    package private(set) var held: [HeldLoop] = []
    private(set) var crashes = CrashLedger()
    let trail: EventTrail?
    /// How many dead letters there are.
    let letters: LetterCounts

    /// Reads the journal; may take long.
    ///
    /// The loop `main` is always there. A loop that cannot go on is held, and the others are not.
    ///
    /// - Throws: `JournalError`; ``CoordinatorError``.
    package init(
        _ store: any JournalStore, _ preparer: LoopPreparer<Program>, _ breadcrumbs: (any Breadcrumbs)?,
        limits: JournalLimits
    ) throws {
        let logger = preparer.logger
        for trace in breadcrumbs?.traces ?? [] where trace.state == .trapped && trace.journal == store.identity {
            let crumb = trace.breadcrumb
            let count = try store.noteCrash(crumb, build: trace.build, epoch: trace.epoch, at: preparer.calendar())
            guard count < CrashLedger.limit else { continue }
            logger.warning(
                "the process was ended by a mistake in the program; the event that it applied is tried once more",
                metadata: ["loop": "\(crumb.loop)", "event": "\(crumb.source.words)", "build": "\(trace.build)"])
        }
        breadcrumbs?.clear()
        crashes = CrashLedger(try store.crashes())
        trail = breadcrumbs.map { $0.trail(.running) }
        letters = try LetterCounts(of: store, limit: limits.deadLetters)
        var ids: [LoopID] = [.main]
        for id in try store.loops() where id != .main { ids.append(id) }
        for id in crashes.loops.subtracting(ids).sorted(by: { $0.name < $1.name })
        where crashes.holding(id, after: nil) != nil {
            ids.append(id)  // it traps before its first event is in the journal
        }
        for id in ids {
            switch try preparer.prepare(id, from: store, trail: trail, crashes: crashes) {
            case .held(let loop):
                loop.log(to: logger)
                held.append(loop)
            case .ready(let loop):
                for event in loop.tail.recovered {
                    try store.forgetCrash(event.source, of: event.loop)
                    crashes.forget(event)
                }
                ready.append(loop)
            }
        }
    }

    /// What the machine is told first.
    package var inputs: [CoordinatorInput] { held.map { .hold($0.loop) } + ready.map(\.input) }

    /// What an operator is told.
    package func log(to logger: Logger, epoch: UInt64) {
        logger.info(
            ready.count + held.count == 1 ? "loop ready" : "loops ready",
            metadata: [
                "epoch": "\(epoch)", "loops": "\(ready.count)", "held": "\(held.count)",
                "replayed": "\(ready.reduce(0) { $0 + $1.tail.events })",
                "pending": "\(ready.reduce(0) { $0 + $1.pending })",
            ])
    }
}

extension HeldLoop {
    /// Tells the operator what to do.
    func log(to logger: Logger) {
        switch cause {
        case .trap(let crash):
            let isReplayed = crash.breadcrumb.replayed != nil || crash.breadcrumb.source == .start
            logger.error(
                "loop held: one of its events ended the process again and again",
                metadata: [
                    "loop": "\(loop)", "event": "\(source)", "type": "\(event?.kind.type ?? "none")",
                    "crashes": "\(crash.count)", "build": "\(build)",
                    "do": isReplayed
                        ? "mend update, then: mobius quarantine release \(loop)"
                        : "mobius quarantine show \(loop); then release \(loop), or release \(loop) --drop",
                ])
        case .program(_, let reason):
            logger.error(
                "loop held: one of its events asks for what cannot be",
                metadata: [
                    "loop": "\(loop)", "event": "\(source)", "reason": "\(reason)", "build": "\(build)",
                    "do": """
                    mend the program and start it; then: mobius quarantine release \(loop), or release \(loop) --drop
                    """,
                ])
        case .unreadable(_, let reason):
            logger.error(
                "loop held: this build cannot read it",
                metadata: ["loop": "\(loop)", "reason": "\(reason)", "do": "run a build that reads it"])
        }
    }
}
