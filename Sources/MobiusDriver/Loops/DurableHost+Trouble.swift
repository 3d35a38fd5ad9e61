import Logging
import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// What concerns one loop, or one question, ends nothing else.
extension DurableHost {
    /// Holds a loop of which an event asks for what cannot be: its model has taken the event, and its journal has not.
    ///
    /// The event counts among those on which the process ended, so that the next start holds the loop, too, and an operator
    /// may have it tried again or dropped.
    func hold(_ loop: HostedLoop<Program>, _ event: Payload, from source: SourceKey, because reason: String) {
        let (id, build, epoch) = (loop.id, setting.preparer.build, setting.status.epoch)
        var breadcrumb = Breadcrumb(loop: id, source: source, event: event)
        if event.bytes.count > Self.longestCrumb {
            breadcrumb.event?.bytes.removeLast(event.bytes.count - Self.longestCrumb)
            breadcrumb.isCut = true
        }
        let crash = Crash(
            breadcrumb: breadcrumb, count: CrashLedger.limit, build: build, epoch: epoch,
            time: setting.preparer.calendar())
        let held = HeldLoop(
            loop: id, cause: .program(crash, reason: reason), sequence: 0, pending: 0, since: crash.time, build: build)
        remove(id)
        self.held[id] = held
        heldSinceAppend.insert(id)
        held.log(to: setting.preparer.logger)
        setting.journal.perform { [breadcrumb] store throws(JournalError) in
            // An epoch counts once: as often as it takes, because nothing about it is by chance.
            for past in (0..<UInt64(CrashLedger.limit)).reversed() {
                _ = try store.noteCrash(breadcrumb, build: build, epoch: epoch &- past, at: crash.time)
            }
        }
    }

    package func stands(_ loop: LoopID, sequence: UInt64, pending: Int) {
        guard let held = held[loop], case .program = held.cause else { return }
        self.held[loop] = HeldLoop(
            loop: loop, cause: held.cause, sequence: sequence + 1, pending: pending, since: held.since,
            build: held.build)
    }

    private static var longestCrumb: Int { 32 << 10 }

    /// The loop goes on without a snapshot: its events are all there.
    func unsaved(_ loop: LoopID, _ reason: String) {
        guard loops[loop]?.snapshots.failed() == true else { return }
        setting.preparer.logger.error(
            "no snapshot can be made of a loop: it goes on, and the next start replays more of its events",
            metadata: [
                "loop": "\(loop)", "reason": "\(reason)", "do": "mend the model, or how it is coded",
            ])
    }

    /// Answers a client whose question the journal cannot answer; the coordinator goes on.
    func unread(_ request: RequestID, _ error: JournalError) {
        if let unlogged = unreadThrottle.admit(at: .now) {
            setting.preparer.logger.error(
                "a question could not be answered from the journal",
                metadata: ["error": "\(error)", "unlogged": "\(unlogged)"])
        }
        let answer = ClientAnswer.refused(ClientRefusal(.damaged, error.description))
        if listings.first?.request == request { endListing(answer) } else { give(answer, to: request) }
    }

    /// Takes in what became of a loop that was read anew.
    func released(_ release: Release, _ tell: (CoordinatorInput) throws -> Void) throws {
        releasing.remove(release.loop)
        switch release.outcome.value {
        case .failure(let error):
            setting.preparer.logger.error(
                "loop not released", metadata: ["loop": "\(release.loop)", "error": "\(error)"])
            give(.refused(ClientRefusal(.held, "The loop \(release.loop) stays held: \(error)")), to: release.request)
        case .success(.ready(let prepared)):
            held[release.loop] = nil
            install(prepared)
            for event in prepared.tail.recovered { forget(event) }
            setting.preparer.logger.notice("loop released", metadata: ["loop": "\(release.loop)"])
            try tell(prepared.input)
            give(.done(repeated: false), to: release.request)
        case .success(.held(let loop)):
            held[release.loop] = loop
            loop.log(to: setting.preparer.logger)
            give(
                .refused(ClientRefusal(.held, "The loop \(loop.loop) is held again: \(loop.source).")),
                to: release.request)
        }
    }

    func forgetCrashes(on records: [JournalRecord]) {
        for case .event(let event) in records {
            let crashed = CrashLedger.Event(loop: event.loop, source: event.source)
            if crashes.contains(crashed) { forget(crashed) }
        }
    }

    /// Forgets that an event crashed, once all that was appended is on disk.
    func forget(_ event: CrashLedger.Event) {
        crashes.forget(event)
        setting.journal.perform { store throws(JournalError) in
            try store.forgetCrash(event.source, of: event.loop)
        }
    }
}
