import Logging
import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
import MobiusProgram
import MobiusRuntime
package import MobiusWire

/// The host of a program's loops with their journal, and of the local handlers.
///
/// It belongs to the driver's thread. Nothing that it does for one event grows with the number of its loops.
package final class DurableHost<Program: LoopProgram>: LoopHost {
    package let setting: Setting
    package private(set) var loops: [LoopID: HostedLoop<Program>] = [:]
    /// The loop that was asked for last: most programs have one, and batches come from one.
    // Unchecked: nothing is called while it is looked at.
    @exclusivity(unchecked) private var last: HostedLoop<Program>?
    package internal(set) var held: [LoopID: HeldLoop] = [:]
    /// Loops that were held since the last append: what they applied before may not be on its way to the disk.
    var heldSinceAppend: Set<LoopID> = []
    /// Loops that are being read anew.
    var releasing: Set<LoopID> = []
    /// Bounds what is logged of questions that the journal cannot answer.
    var unreadThrottle = LogThrottle()
    // Unchecked, as it is looked at for each event: nobody gets there while it is changed.
    @exclusivity(unchecked) var crashes = CrashLedger()
    private let trail: EventTrail?
    private let isTracing: Bool
    /// Loops with events that are not on their way to the disk, and those with something to show.
    private var unappended: [HostedLoop<Program>] = []
    private var showing: [HostedLoop<Program>] = []
    /// Events that an operator dropped, applied since the last append.
    private var dropped: Set<CrashLedger.Event> = []
    private var committed: Ticket?
    private(set) var isStopping = false
    package private(set) var hasEnded = false
    /// Whether the machine takes in events from outside; asked before one of them begins a loop.
    package var takesEvents: () -> Bool = { true }
    /// Answers to clients that are there.
    var answers: [(RequestID, ClientAnswer)] = []
    /// Lists of dead letters that clients asked for, the first of which is being read.
    var listings: [LetterListing] = []
    /// How many dead letters are in the journal.
    package var letterCount: Int { letters.total }
    private var letters: LetterCounts
    // Memory used again and again.
    private var inputs: [Input] = []
    /// The place of the first that was not taken in.
    private var nextInput = 0
    // Unchecked: nobody codes anything here while it is coded.
    @exclusivity(unchecked) private var scratch = CodingScratch()

    /// Hosts the loops of a journal; local handlers deliver to the mailbox, as the journal does.
    package init(_ setting: Setting, _ start: HostStart<Program>) {
        self.setting = setting
        trail = start.trail
        isTracing = setting.locals.isTracing
        crashes = start.crashes
        letters = start.letters
        for loop in start.held { held[loop.loop] = loop }
        for prepared in start.ready { install(prepared) }
    }

    package var eventKinds: [PayloadKind] { [setting.preparer.codings.events.kind] }

    package func moveHere() { trail?.moveHere() }

    // MARK: - Loops

    @inline(__always)
    func hosted(_ id: LoopID) -> HostedLoop<Program>? {
        if let last, last.id == id { return last }
        guard let loop = loops[id] else { return nil }
        last = loop
        return loop
    }

    package func install(_ prepared: PreparedLoop<Program>) {
        let loop = HostedLoop(prepared, snapshotBytes: setting.snapshotBytes)
        loops[loop.id] = loop
        if let watchers = setting.watchers.existing(of: loop.id) { show(loop, to: watchers) }
    }

    /// Takes a loop out, which cannot go on.
    func remove(_ loop: LoopID) {
        loops[loop] = nil
        if last?.id == loop { last = nil }
        unappended.removeAll { $0.id == loop }
        showing.removeAll { $0.id == loop }
    }

    private func show(_ loop: HostedLoop<Program>, to watchers: ModelWatchers<Program.Model>) {
        loop.show(to: watchers, committed: committed)
        awaitNews(of: loop)
    }

    private func awaitNews(of loop: HostedLoop<Program>) {
        guard !loop.isShowing else { return }
        loop.isShowing = true
        showing.append(loop)
    }

    private func showNews() {
        guard !showing.isEmpty else { return }
        showing.removeAll { loop in
            loop.isShowing = loop.showNews(committed: committed)
            return !loop.isShowing
        }
    }

    package func opening(_ id: LoopID, for event: Payload, key: String) throws(CoordinatorError) -> CoordinatorInput? {
        guard isNew(id) else { return nil }
        let source = SourceKey.outside(key)
        do throws(CodingFailure) {
            // Reading it may be what traps.
            if !crashes.isDropped(CrashLedger.Event(loop: id, source: source)) {
                try trail.applying(event, from: source, to: id) { () throws(CodingFailure) in
                    _ = try setting.preparer.codings.events.decode(event)
                }
            }
        } catch {
            throw CoordinatorError(.invalidEvent, "The event cannot be read: \(error).", underlying: error)
        }
        let prepared = try trail.applying(nil, from: .start, to: id) { () throws(CoordinatorError) in
            try setting.preparer.new(id)
        }
        install(prepared)
        return prepared.input
    }

    // MARK: - Inputs

    /// How many inputs are taken in before the machine's decisions leave.
    private static var inputSlice: Int { 256 }

    package func takeInputs(_ tell: (CoordinatorInput) throws -> Void) throws -> Bool {
        if nextInput == inputs.count {
            setting.take(&inputs)
            nextInput = 0
        }
        let end = min(nextInput + Self.inputSlice, inputs.count)
        while nextInput < end {
            nextInput += 1
            try take(inputs[nextInput - 1], tell)
        }
        showNews()
        return nextInput < inputs.count
    }

    private func take(_ input: Input, _ tell: (CoordinatorInput) throws -> Void) throws {
        switch input {
        case .journal(let report): try heard(report, tell)
        case .local(.report(let id, let event, let final)):
            try tell(.localReport(id, event: event, final: final))
            if final { setting.locals.ended(id) }
        case .local(.failed(let id, let failure)):
            setting.locals.ended(id)
            try tell(.localFailed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason))
        case .outside(let request, let loop, let key, let event):
            guard takesEvents() || !isNew(loop) else {
                answer(request, .failure(CoordinatorError(.busy, CoordinatorError.tooMuch)))
                return
            }
            let opening: CoordinatorInput?
            do throws(CoordinatorError) {
                opening = try self.opening(loop, for: event, key: key)
            } catch {
                answer(request, .failure(error))
                return
            }
            if let opening { try tell(opening) }
            try tell(.outside(request, loop, key: key, event: event))
        case .lookedUp(let request, let loop, let key, let event, let isApplied):
            try tell(.lookedUp(request, loop, key: key, event: event, isApplied: isApplied))
        case .watch(let id):
            if let loop = loops[id] { show(loop, to: setting.watchers.watchers(of: id)) }
        case .released(let release): try released(release, tell)
        case .letters(let heads): listed(heads)
        case .found(let request, let wish, let letter): try found(letter, wish, request, tell)
        case .unread(let request, let error): unread(request, error)
        case .release(let request, let loop, let drop): release(loop, drop: drop, sequence: nil, request)
        case .listHeld(let give): give(Array(held.values))
        case .answer(let request, let answer): give(answer, to: request)
        case .stop:
            isStopping = true
            try tell(.stop)
        }
    }

    private func heard(_ report: WriterReport, _ tell: (CoordinatorInput) throws -> Void) throws {
        switch report {
        case .committed(let tickets):
            // Shown before it is confirmed: a sender who watches sees what it sent.
            committed = tickets.last ?? committed
            showNews()
            for ticket in tickets { try tell(.committed(ticket)) }
        case .saved(let loop, let bytes): loops[loop]?.snapshots.saved(bytes: bytes)
        case .unsaved(let loop, let reason): unsaved(loop, reason)
        case .failed(let error): throw error
        case .closed: hasEnded = true
        }
    }

    // MARK: - What the machine decides

    package func apply(_ application: inout Application) throws -> Advance {
        if isTracing { trace(&application) }
        let id = application.loop
        guard let loop = hosted(id) else { return .held }
        if !crashes.isEmpty, isDropped(application) {
            noteApplied(loop, changed: false)
            return .effects(.none)
        }
        do {
            // Without a closure, which would be handed copies.
            let event = application.event
            trail?.note(event, from: application.source, to: id)
            defer { trail?.strikeOut() }
            let (changed, effects) = try loop.typed.advance(event, scratch: &scratch)
            noteApplied(loop, changed: changed)
            return .effects(effects)
        } catch let failure as CodingFailure {
            return .unreadable(reason: "\(failure)")
        } catch let error as ProgramError {
            hold(loop, application.event, from: application.source, because: error.description)
            return .held
        }
    }

    /// Notes which trace an event belongs to, if any.
    private func trace(_ application: inout Application) {
        switch (application.origin, application.source) {
        case (.local, .report(let attempt, number: _)):
            application.traceparent = setting.locals.traceparent(of: attempt)
        case (.outside(let request), _) where application.traceparent.isEmpty:
            application.traceparent = setting.senders.traceparent(of: request)
        default: break
        }
    }

    private func noteApplied(_ loop: HostedLoop<Program>, changed: Bool) {
        if loop.applied(changed: changed) { unappended.append(loop) }
    }

    private func isDropped(_ application: Application) -> Bool {
        let event = CrashLedger.Event(loop: application.loop, source: application.source)
        guard crashes.isDropped(event) else { return false }
        dropped.insert(event)
        return true
    }

    package func applyFailure(
        _ id: EffectID, effect: Payload, _ failure: EffectFailure, round: UInt32
    ) throws -> CoordinatorInput {
        try answer(id, effect, from: .failure(id, round: round), ends: true, origin: .failure) { loop in
            try loop.event(of: failure, effect: effect)
        }
    }

    package func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) throws -> CoordinatorInput {
        try answer(id, effect, from: .timer(id, due: due), ends: ends, origin: .timer) { loop in
            try loop.event(ofTimer: effect)
        }
    }

    /// Applies the event that an effect's route makes of news.
    private func answer(
        _ id: EffectID, _ effect: Payload, from source: SourceKey, ends: Bool, origin: Application.Origin,
        _ make: (TypedLoop<Program>) throws -> Payload?
    ) throws -> CoordinatorInput {
        guard let loop = hosted(id.loop) else { return .hold(id.loop) }
        var application = Application(
            loop: id.loop, source: source, event: effect, ends: ends ? id : nil, origin: origin)
        // Its route may be what traps.
        if crashes.isEmpty || !crashes.isDropped(CrashLedger.Event(loop: id.loop, source: source)) {
            do {
                let event = try trail.applying(effect, from: source, to: id.loop) { try make(loop.typed) }
                guard let event else { return .unheard(id) }
                application.event = event
            } catch let failure as CodingFailure {
                hold(loop, effect, from: source, because: "The news of effect \(id) make no event: \(failure).")
                return .hold(id.loop)
            }
        }
        return try apply(&application).input(for: application)
    }

    package func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws -> CoordinatorInput {
        // What cannot be read cancels nothing.
        .cancelSelected(id, (try? hosted(id.loop)?.typed.cancelled(by: effect, among: underWay)) ?? [])
    }

    package func lookUp(_ request: RequestID, _ loop: LoopID, key: String, event: Payload) {
        setting.journal.perform { [post = setting.post] store throws(JournalError) in
            do throws(JournalError) {
                let isApplied = try store.hasApplied(key: key, of: loop)
                post(.lookedUp(request, loop, key: key, event, isApplied: isApplied))
            } catch {
                post(.unread(request, error))
            }
        }
    }

    package func append(
        _ ticket: Ticket, _ records: [JournalRecord], state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?
    ) throws -> Bool {
        heldSinceAppend.removeAll()
        let records = dropped.isEmpty ? records : records.map(withoutDropped)
        dropped.removeAll()
        let touched = unappended
        unappended.removeAll(keepingCapacity: true)
        for loop in touched {
            loop.wentToDisk(with: ticket)
            if loop.models != nil { awaitNews(of: loop) }
        }
        if try setting.journal.append(ticket, records, bytes: note(records)) {
            committed = ticket
            showNews()
            return true
        }
        if !crashes.isEmpty { forgetCrashes(on: records) }
        for loop in touched where loop.snapshots.isDue { snapshot(loop, state(loop.id)) }
        return false
    }

    /// Keeps count of what goes to the disk; answers how many bytes of payload it holds.
    private func note(_ records: [JournalRecord]) -> Int {
        var total = 0
        // Those of one loop in a row are counted together, where they are: a copy of one counts references.
        let records = records.span
        var loop: LoopID?
        var bytes = 0
        for position in records.indices {
            switch records[position] {
            case .event(let event):
                if loop.map({ !records[position].isOf($0) }) ?? true {
                    if let loop { hosted(loop)?.snapshots.appended(bytes: bytes) }
                    loop = event.loop
                    bytes = 0
                }
                let size = event.payloadBytes
                bytes += size
                total += size
            case .note(let effect, .died): letters.died(in: effect.loop)
            case .note(let effect, .revived), .note(let effect, .dropped): letters.removed(from: effect.loop)
            case .note: break
            }
        }
        if let loop { hosted(loop)?.snapshots.appended(bytes: bytes) }
        return total
    }

    /// A dropped event is in the journal as its source only, so that nothing ever applies it.
    private func withoutDropped(_ record: JournalRecord) -> JournalRecord {
        guard case .event(var event) = record,
            dropped.contains(CrashLedger.Event(loop: event.loop, source: event.source))
        else { return record }
        event.event = nil
        return .event(event)
    }

    /// The model holds exactly what was appended so far, so a snapshot queued now stands right behind it.
    private func snapshot(
        _ loop: HostedLoop<Program>, _ state: (sequence: UInt64, pending: [PendingEffect])?
    ) {
        guard setting.journal.keepsSnapshots, let state else { return }
        loop.snapshots.begin()
        let snapshot = LoopSnapshot(
            loop: loop.id, model: loop.typed.model, coding: setting.preparer.codings.models, sequence: state.sequence,
            pending: state.pending)
        setting.journal.save(loop.id) { Result { () throws(CodingFailure) in try snapshot.encoded() } }
    }

    package func runLocal(_ id: AttemptID, _ effect: Payload, traceparent: String) {
        setting.locals.run([EffectOrder(id: id, traceparent: traceparent, effect: effect)])
    }

    package func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        setting.locals.acknowledged(id, events: events, bytes: bytes)
    }

    package func answer(_ request: RequestID, _ result: Result<Void, CoordinatorError>) {
        setting.senders.answer(request, result)
    }

    package func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        setting.locals.cancelAll()
        // Those with the most to replay; a snapshot of each of thousands would hold up the next start's elder.
        let news = loops.values.filter(\.snapshots.hasNews).sorted {
            ($0.snapshots.tailBytes, $1.id.name) > ($1.snapshots.tailBytes, $0.id.name)
        }
        for loop in news.prefix(Self.snapshotsAtStop) { snapshot(loop, state(loop.id)) }
        hasEnded = setting.journal.close()
    }

    private static var snapshotsAtStop: Int { 100 }
}
