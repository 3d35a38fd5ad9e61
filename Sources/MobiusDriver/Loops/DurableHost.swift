import Logging
import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
import MobiusProgram
import MobiusRuntime
package import MobiusWire

/// Hosts a program's loops, their journal, and the local handlers.
///
/// Used on the driver's thread only. The cost per event does not depend on the number of loops.
package final class DurableHost<Program: LoopProgram>: LoopHost {
    package let setting: Dependencies
    let shared: SharedMachine
    package internal(set) var loops: [LoopID: HostedLoop<Program>] = [:]
    /// A cache of the loop that was looked up last: most programs have one loop, and a batch comes from one loop.
    // Unchecked: nothing else runs during an access.
    @exclusivity(unchecked) var last: HostedLoop<Program>?
    package internal(set) var held: [LoopID: HeldLoop] = [:]
    /// Loops held since the last append: the events they applied before may not have been handed to the journal.
    var heldSinceAppend: Set<LoopID> = []
    /// Held loops that are being recovered again.
    var releasing: Set<LoopID> = []
    /// The waiters for loops that are not in memory, which of these are to be read next, and how many are being read.
    var waiting = WaitingRoom<Waiter>(limit: 10_000, bytes: 64 << 20)
    var wanted: [LoopID] = []
    var fetching = 0
    /// The number of loops on disk that are not in memory, and some names for which the journal has none.
    var awayCount: Int
    var absent: Set<LoopID> = []
    /// Limits the log lines about requests that the journal cannot answer.
    var unreadThrottle = LogThrottle()
    /// Limits the log lines about loops that are held while the coordinator runs.
    var heldThrottle = LogThrottle()
    var allHeldThrottle = LogThrottle()
    /// Limits the log lines about events that other shards' coordinators refuse.
    var heldBackThrottle = LogThrottle()
    // Unchecked, because it is read for each event: nothing else runs while it is changed.
    @exclusivity(unchecked) var crashes = CrashLedger()
    let trail: EventTrail?
    private let isTracing: Bool
    /// Loops with applied events that were not handed to the journal, and loops with models to publish.
    private var unappended: [HostedLoop<Program>] = []
    private var showing: [HostedLoop<Program>] = []
    /// Events that an operator dropped and that came again since the last append.
    private var dropped: Set<CrashLedger.Event> = []
    private var committed: Ticket?
    private(set) var isStopping = false
    package private(set) var hasEnded = false
    /// Loops that ended since the last append.
    var ending: [HostedLoop<Program>] = []
    /// Ended loops whose last models no journal keeps.
    var kept: [LoopID: HostedLoop<Program>] = [:]
    /// The clients' requests for models, and encoded models that wait for their commit.
    var reads = ModelReads()
    var models: [EncodedModel] = []
    /// Pages of the journal's loops, which the machine completes.
    var lists: [(RequestID, LoopListing, [StoredLoop])] = []
    /// Answers that are ready to be sent to clients.
    var answers: [(RequestID, ClientAnswer)] = []
    /// The knowledge about the program's types, and the requests that wait for it.
    var schema = SchemaState()
    /// Whether the journal gets the facts that programs declare.
    let writesFacts: Bool
    /// The loops whose facts this build has written; `nil` until that was read.
    package internal(set) var factProgress: FactProgress?
    /// The number of appends after which the computing of facts begins again, because the journal could not be read.
    var factRetry: Int?
    /// Loops that are held since the last append, whose last facts must come from their records.
    var factless: [LoopID] = []
    /// Loops that began and had no event since.
    private var begun: [HostedLoop<Program>] = []
    /// Pages of loops that were found by their facts, which the machine completes.
    var foundPages: [(RequestID, FoundPage)] = []
    /// The effects whose events are on their way to other shards.
    var onTheirWay: Set<EffectID> = []
    package internal(set) var letters: LetterCounts
    // Reused memory.
    private var inputs: [Input] = []
    /// The index of the first input that was not handled.
    private var nextInput = 0
    // Unchecked: coding never re-enters itself here.
    @exclusivity(unchecked) private var scratch = CodingScratch()

    /// Hosts the recovered loops of a journal; local handlers and the journal post their inputs to the mailbox.
    package init(_ setting: Dependencies, _ start: JournalRecovery<Program>, _ shared: SharedMachine) {
        self.setting = setting
        self.shared = shared
        trail = start.trail
        isTracing = setting.locals.isTracing
        crashes = start.crashes
        letters = start.letters
        awayCount = Int(clamping: start.idle.loops)
        writesFacts =
            setting.preparer.calls.hasFacts && setting.journal.keepsSnapshots
            && start.crashes.trapsOfFacts(by: setting.preparer.build, replaying: false) < Self.factTraps
        for loop in start.held { held[loop.loop] = loop }
        for prepared in start.ready { install(prepared) }
        if writesFacts { startFacts() }
    }

    package var eventKinds: [PayloadKind] { setting.preparer.calls.eventKinds }

    // MARK: - The machine

    /// The number of a loop's last applied event, as the machine counts it.
    package func lastSequence(_ loop: LoopID) -> UInt64? { shared.machine.lastSequence(of: loop) }

    /// The end of a loop, as the machine knows it; `nil` for one that has not ended.
    func end(_ loop: LoopID) -> EndedLoop? { shared.machine.end(of: loop) }

    /// Returns the reason why a loop that is not there cannot begin, by the machine's limit, which then notes it;
    /// called before it begins.
    func refusalToBegin(_ loop: LoopID) -> ClientRefusal? {
        guard let refusal = shared.machine.refusalToBegin(loop) else { return nil }
        shared.machine.noteRefused(loop)
        return refusal
    }

    // MARK: - Loops

    @inline(__always)
    func hosted(_ id: LoopID) -> HostedLoop<Program>? {
        if let last, last.id == id { return last }
        guard let loop = loops[id] else { return nil }
        last = loop
        return loop
    }

    /// Takes a loop into memory; `isParked` if the journal has it as idle.
    package func install(_ prepared: PreparedLoop<Program>, isParked: Bool = false) {
        let loop = HostedLoop(
            prepared, snapshotBytes: setting.snapshotBytes,
            factPrefix: writesFacts ? setting.preparer.calls.factPrefix(of: prepared.loop.id) : nil)
        if loop.factPrefix != nil, prepared.lastSequence == nil { begun.append(loop) }
        loop.isParked = isParked
        loops[loop.id] = loop
        if !absent.isEmpty { absent.remove(loop.id) }
        if let watchers = setting.watchers.existing(of: loop.id) { show(loop, to: watchers) }
    }

    /// Removes a loop that is held from now on.
    func remove(_ loop: LoopID) {
        loops[loop] = nil
        if last?.id == loop { last = nil }
        unappended.removeAll { $0.id == loop }
        begun.removeAll { $0.id == loop }
        showing.removeAll { $0.id == loop }
    }

    private func show(_ loop: HostedLoop<Program>, to watchers: ModelWatchers<Program.Model>) {
        loop.show(to: watchers, committed: committed)
        enqueueForPublishing(loop)
    }

    private func enqueueForPublishing(_ loop: HostedLoop<Program>) {
        guard !loop.isShowing else { return }
        loop.isShowing = true
        showing.append(loop)
    }

    private func publish() {
        guard !showing.isEmpty else { return }
        showing.removeAll { loop in
            loop.isShowing = loop.publish(committed: committed)
            return !loop.isShowing
        }
    }

    // MARK: - Inputs

    /// The most inputs handled before the machine's decisions are flushed.
    private static var inputSlice: Int { 256 }

    package func takeInputs(at now: Moment, _ tell: (CoordinatorInput) throws -> Void) throws -> Bool {
        if nextInput == inputs.count {
            setting.drain(&inputs)
            nextInput = 0
        }
        let end = min(nextInput + Self.inputSlice, inputs.count)
        while nextInput < end {
            nextInput += 1
            try handle(inputs[nextInput - 1], at: now, tell)
        }
        publish()
        return nextInput < inputs.count
    }

    private func handle(_ input: Input, at now: Moment, _ tell: (CoordinatorInput) throws -> Void) throws {
        switch input {
        case .journal(let report): try handle(report, tell)
        case .local(.report(let id, let event, let final)):
            try tell(.localReport(id, event: event, final: final))
            if final { setting.locals.ended(id) }
        case .local(.failed(let id, let failure)):
            setting.locals.ended(id)
            try tell(.localFailed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason))
        case .outside(let request, let loop, let key, let event):
            // The sender does not know yet that a split has moved the loop to another shard.
            guard setting.crossShardSender?.isForeign(loop) != true else {
                return give(.moved(endpoint: nil), to: request)
            }
            guard isAway(loop) else { return try receive(request, loop, key: key, event, tell) }
            if !wait(request, loop, key: key, event: event) { give(.overloaded, to: request) }
        case .fetched(let loop): try fetched(loop, tell)
        case .carried(let id, let loop, let parcel, let outcome):
            try carried(id, to: loop, parcel, outcome, at: now, tell)
        case .share(let grant): try tell(.share(grant))
        case .stored(let request, let query, let loops): lists.append((request, query, loops))
        case .lookedUp(let request, let loop, let key, let event, let isApplied):
            try tell(.lookedUp(request, loop, key: key, event: event, isApplied: isApplied))
        case .watch(let id):
            if let loop = loops[id] {
                show(loop, to: setting.watchers.watchers(of: id))
            } else if isAway(id) {
                fetch(id, for: .show)
            }
        case .released(let release): try released(release, tell)
        case .paused(let pool, let pause, let name, let repeated, let request):
            try paused(pool, pause, by: name, repeated: repeated, request, tell)
        case .letters(let request, let heads, let limit): listed(heads, limit: limit, request)
        case .encoded(let loop, let sequence, let model): encoded(loop, sequence, model)
        case .schema(let result): found(result)
        case .found(let request, let query, let letter): try found(letter, query, request, tell)
        case .readFailed(let request, let error): readFailed(request, error, at: now)
        case .release(let request, let loop, let drop): release(loop, drop: drop, sequence: nil, request)
        case .listHeld(let give): give(Array(held.values))
        case .answer(let request, let answer): give(answer, to: request)
        case .endedModel(let end, let request, let model): endedModel(end, model, request)
        case .removed(let loops, let left): try removed(loops, left, tell)
        case .facts(let step): handle(step)
        case .foundLoops(let request, let page): foundPages.append((request, page))
        case .stop:
            isStopping = true
            refuseWaiting()
            try tell(.stop)
        }
    }

    /// An event of a sender in this process.
    func receive(
        _ request: RequestID, _ loop: LoopID, key: String, _ event: Payload, _ tell: (CoordinatorInput) throws -> Void
    ) throws {
        guard shared.machine.takesEvents || !isNew(loop) else { return give(.overloaded, to: request) }
        let opening: CoordinatorInput?
        do throws(CoordinatorError) {
            opening = try self.opening(loop, for: event, key: key)
        } catch {
            return give(error.answer, to: request)
        }
        if let opening { try tell(opening) }
        try tell(.outside(request, loop, key: key, event: event))
    }

    private func handle(_ report: WriterReport, _ tell: (CoordinatorInput) throws -> Void) throws {
        switch report {
        case .committed(let tickets):
            // Published before it is confirmed, so that a sender that watches has received the model by then.
            committed = tickets.last ?? committed
            publish()
            for ticket in tickets { try tell(.committed(ticket)) }
        case .saved(let loop, let bytes):
            loops[loop]?.snapshots.saved(bytes: bytes)
            forgetTrap(at: .place(.encoding, of: loop), of: loop)
        case .snapshotFailed(let loop, let reason): snapshotFailed(loop, reason)
        case .parked(let outcome): try parked(outcome, tell)
        case .failed(let error): throw error
        case .closed: hasEnded = true
        }
    }

    // MARK: - Actions of the machine

    package func apply(_ application: inout EventApplication) throws -> UpdateResult {
        if isTracing { trace(&application) }
        let id = application.loop
        guard let loop = hosted(id) else { return .held }
        if !crashes.isEmpty, isDropped(application) {
            noteApplied(loop, changed: false)
            return .effects(.none)
        }
        do {
            let (changed, effects) = try loop.typed.advance(
                application.event, from: application.source, of: id,
                in: { context(ofNext: id, from: application.source) }, trail, scratch: &scratch)
            noteApplied(loop, changed: changed)
            return .effects(effects)
        } catch let failure as CodingFailure {
            return .unreadable(reason: "The event cannot be read: \(failure).")
        } catch let error as ProgramError {
            hold(loop, application.event, from: application.source, because: error.description)
            return .held
        }
    }

    /// Sets the event's trace context, if it has one.
    private func trace(_ application: inout EventApplication) {
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

    private func isDropped(_ application: EventApplication) -> Bool {
        let event = CrashLedger.Event(loop: application.loop, source: application.source)
        guard crashes.isDropped(event) else { return false }
        dropped.insert(event)
        return true
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
            loop.appended(with: ticket)
            if loop.models != nil { enqueueForPublishing(loop) }
            if reads.isWatched(loop.id) { reads.changed(loop.id) }
        }
        encodeModels()
        // With their records only, without which a journal writes nothing. Of one that has begun again meanwhile only the new facts.
        let facts = writesFacts && !records.isEmpty ? changedFacts(of: begun + touched.filter(isNewest)) : []
        if !begun.isEmpty, !records.isEmpty { begun.removeAll() }
        if isFactRetryDue() { startFacts() }
        let isWritten = try setting.journal.append(ticket, records, facts: facts, bytes: note(records))
        if !ending.isEmpty { keepEnded(state) }
        if !factless.isEmpty { refreshFactsOfHeld() }
        if isWritten {
            committed = ticket
            publish()
            return true
        }
        if !crashes.isEmpty { forgetCrashes(on: records) }
        // One that has ended has its snapshot, or begun again and another model.
        for loop in touched where loop.snapshots.isDue && loops[loop.id] === loop { snapshot(loop, state(loop.id)) }
        return false
    }

    /// Removes a dropped event's payload: the journal keeps its source only, so replay does not apply it.
    private func withoutDropped(_ record: JournalRecord) -> JournalRecord {
        guard case .event(var event) = record,
            dropped.contains(CrashLedger.Event(loop: event.loop, source: event.source))
        else { return record }
        event.event = nil
        return .event(event)
    }

    package func runLocal(_ id: AttemptID, _ effect: Payload, traceparent: String) {
        setting.locals.run([EffectOrder(id: id, traceparent: traceparent, effect: effect)])
    }

    package func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        setting.locals.acknowledged(id, events: events, bytes: bytes)
    }

    package func answer(_ request: RequestID, _ answer: ClientAnswer) throws {
        try setting.senders.answer(request, answer)
    }

    package func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        setting.locals.cancelAll()
        // Those with the most bytes to replay: snapshots of thousands of loops would delay the successor's start.
        let news = loops.values.filter(\.snapshots.hasUnsavedEvents).sorted {
            ($0.snapshots.tailBytes, $1.id.name) > ($1.snapshots.tailBytes, $0.id.name)
        }
        for loop in news.prefix(Self.snapshotsAtStop) { snapshot(loop, state(loop.id)) }
        setting.queries.close()
        hasEnded = setting.journal.close()
    }

    private static var snapshotsAtStop: Int { 100 }
}
