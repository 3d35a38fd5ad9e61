import Logging
import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Failures of one loop or of one request, which do not affect other loops and requests.
extension DurableHost {
    /// Holds a loop after a program error: the event was applied to its model, but is not in its journal.
    ///
    /// The event is recorded like one that trapped the process, so that the next start holds the loop, too, and an
    /// operator can have the event retried or dropped.
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
        refuseReaders(of: id)
        heldSinceAppend.insert(id)
        log(held)
        // Its model has this event, too, and not only those that go to the journal.
        factless.append(id)
        setting.journal.perform { [breadcrumb] store throws(JournalError) in
            // The store counts one crash per epoch; the error is deterministic, so past epochs complete the count.
            for past in (0..<UInt64(CrashLedger.limit)).reversed() {
                _ = try store.noteCrash(breadcrumb, build: build, epoch: epoch &- past, at: crash.time)
            }
        }
    }

    /// Logs a loop that is held from now on: the first five in ten seconds, and whenever no other loop runs.
    func log(_ held: HeldLoop) {
        let logger = setting.preparer.logger
        let now = Moment(nanoseconds: setting.preparer.calendar().milliseconds &* 1_000_000)
        if let unlogged = heldThrottle.admit(at: now, lines: HeldLoop.logged) {
            if unlogged > 0 {
                logger.error(
                    "more loops were held", metadata: ["loops": "\(unlogged)", "do": "mobius quarantine list"])
            }
            held.log(to: logger)
        }
        guard loops.isEmpty, allHeldThrottle.admit(at: now, lines: 1) != nil else { return }
        logger.critical(
            "ALL LOOPS ARE HELD: this coordinator applies no event until one is released",
            metadata: ["loops": "\(self.held.count)", "do": "mobius quarantine list"])
    }

    package func recordHeldState(_ loop: LoopID, sequence: UInt64, pending: Int) {
        guard let held = held[loop], case .program = held.cause else { return }
        self.held[loop] = HeldLoop(
            loop: loop, cause: held.cause, sequence: sequence + 1, pending: pending, since: held.since,
            build: held.build)
    }

    private static var longestCrumb: Int { 32 << 10 }

    /// Logs that a snapshot failed; the loop continues, because all its events are in the journal.
    func snapshotFailed(_ loop: LoopID, _ reason: String) {
        guard loops[loop]?.snapshots.failed() == true else { return }
        setting.preparer.logger.error(
            "a loop's snapshot failed: the loop continues, and the next start replays more of its events",
            metadata: [
                "loop": "\(loop)", "reason": "\(reason)", "do": "fix the model, or its coding",
            ])
    }

    /// Refuses a client's request that the journal cannot answer; the coordinator continues.
    func readFailed(_ request: RequestID, _ error: JournalError, at now: Moment) {
        if let unlogged = unreadThrottle.admit(at: now) {
            setting.preparer.logger.error(
                "a client request could not be answered from the journal",
                metadata: ["error": "\(error)", "unlogged": "\(unlogged)"])
        }
        give(.refused(ClientRefusal(.damaged, error.description)), to: request)
    }

    /// Handles the result of recovering a held loop that was to be released.
    func released(_ release: Release, _ tell: (CoordinatorInput) throws -> Void) throws {
        releasing.remove(release.loop)
        // The machine takes no loop any more: the next start does, because the journal knows of the release.
        guard !isStopping else { return give(.stopping, to: release.request) }
        switch release.outcome.value {
        case .failure(let error):
            setting.preparer.logger.error(
                "loop not released", metadata: ["loop": "\(release.loop)", "error": "\(error)"])
            give(.refused(ClientRefusal(.held, "The loop \(release.loop) stays held: \(error)")), to: release.request)
        case .success(.ready(let prepared)):
            held[release.loop] = nil
            install(prepared)
            setting.returned(prepared)
            for event in prepared.stats.recovered { forget(event) }
            refreshFacts(of: release.loop)
            setting.preparer.logger.notice("loop released", metadata: ["loop": "\(release.loop)"])
            try tell(prepared.input)
            give(.done(repeated: false), to: release.request)
        case .success(.ended(let end, let pending)):
            held[release.loop] = nil
            setting.preparer.logger.notice("loop released", metadata: ["loop": "\(release.loop)"])
            try tell(.recoverEnded(end, pending: pending))
            give(.done(repeated: false), to: release.request)
        case .success(.held(let loop)):
            held[release.loop] = loop
            log(loop)
            give(
                .refused(ClientRefusal(.held, "The loop \(loop.loop) is held again: \(loop.source).")),
                to: release.request)
        }
    }

    /// Whether the program is not called at this place again, because it trapped there.
    func skips(_ place: ProgramPlace, of effect: EffectID) -> Bool {
        !crashes.isEmpty && skips(CrashLedger.Event(loop: effect.loop, source: .place(place, of: effect)))
    }

    func skips(_ place: CrashLedger.Event) -> Bool { crashes.skips(place, by: setting.preparer.build) }

    /// Forgets that a call of the program trapped, because the same one has succeeded.
    func forgetTrap(at place: SourceKey, of loop: LoopID) {
        guard !crashes.isEmpty else { return }
        let place = CrashLedger.Event(loop: loop, source: place)
        if crashes.contains(place) { forget(place) }
    }

    func forgetCrashes(on records: [JournalRecord]) {
        for case .event(let event) in records {
            let crashed = CrashLedger.Event(loop: event.loop, source: event.source)
            guard crashes.contains(crashed) else { continue }
            // The fate of a dropped event from outside is kept, because its sender may ask again at any time.
            if case .outside = event.source, crashes.isDropped(crashed) { continue }
            forget(crashed)
        }
    }

    /// Deletes the crash record of an event, after everything appended so far is on disk.
    func forget(_ event: CrashLedger.Event) {
        crashes.forget(event)
        setting.journal.perform { store throws(JournalError) in
            try store.forgetCrash(event.source, of: event.loop)
        }
    }
}
