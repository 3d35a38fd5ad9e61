import MobiusEngine
import MobiusJournal
import MobiusWire

/// A coordinator machine with the time and a world that answers it: events are applied, records are committed.
struct Stage: ~Copyable {
    var machine: CoordinatorMachine
    var now = Moment.start
    /// Whether `append` is answered with `committed` at once.
    var commits = true
    /// What `update` asks for, by the words of the event.
    var update: [String: [PlannedEffect]] = [:]
    /// What a loop asks for that begins again.
    var first: [PlannedEffect] = []
    /// The loops that are being read from the journal.
    var away: Set<LoopID> = []
    /// The effects that were to be delivered to them.
    private(set) var deliveries: [EffectID] = []
    /// The words of all events applied.
    private(set) var applied: [String] = []
    /// The records that were handed out to be written.
    private(set) var records: [JournalRecord] = []
    private(set) var written: [Ticket] = []
    /// The records that are on disk.
    private(set) var durable: [JournalRecord] = []
    private var appended: [Ticket: [JournalRecord]] = [:]
    /// How effects are planned, by their words: what a restarted coordinator's routes say.
    private var plans: [String: EffectPlan] = [:]
    private(set) var epoch: UInt64
    private let configuration: CoordinatorConfiguration

    init(epoch: UInt64 = 1, batchBytes: Int = 256 << 10, maximumPayload: UInt32 = 4 << 20) {
        self.init(
            CoordinatorConfiguration(
                journal: .ours, epoch: epoch, maximumPayload: maximumPayload, batchBytes: batchBytes))
    }

    init(_ configuration: CoordinatorConfiguration) {
        self.configuration = configuration
        epoch = configuration.epoch
        machine = CoordinatorMachine(configuration)
    }

    /// What the records that are on disk, or all, say of the loop.
    func fold(_ name: LoopID = .main, all: Bool = false) throws -> RecoveredLoop {
        var loop = RecoveredLoop(loop: name, snapshot: nil)
        for record in all ? records : durable where record.loop == name { try loop.apply(record) }
        return loop
    }

    /// The loops that are on disk, in the order in which they began.
    private var loops: [LoopID] {
        durable.reduce(into: [.main]) { found, record in if !found.contains(record.loop) { found.append(record.loop) } }
    }

    /// From the next start on, the routes say something else of the effects with the words of `planned`.
    mutating func reroute(_ planned: PlannedEffect) { plans[planned.effect.words] = planned.plan }

    /// The coordinator is killed and starts again on what is on disk, at `time` of the calendar, if it has one.
    @discardableResult
    mutating func restart(at time: WallTime? = nil) throws -> [CoordinatorAction] {
        let recovered = try loops.map { try fold($0) }
        var next = configuration
        epoch += 1
        next.epoch = epoch
        machine = CoordinatorMachine(next)
        written = []
        appended = [:]
        records = durable
        if let time { play(.wallClock(time)) }
        var open: [CoordinatorAction] = []
        for loop in recovered { open += perform(handle(resume(loop))) }
        return open + play()
    }

    /// The input for a loop that was read back.
    private func resume(_ loop: RecoveredLoop) -> CoordinatorInput {
        let pending = loop.pending.map { ($0, plans[$0.effect.words] ?? EffectPlan(destination: .local)) }
        if loop.hasEnded == true, let end = end(of: loop.loop) {
            return .recoverEnded(end, pending: pending.map { PlannedPending($0.0, $0.1) })
        }
        return .recover(
            ResumedLoop(
                loop: loop.loop, lastSequence: loop.lastSequence ?? 0, pending: pending, began: began(loop.loop)))
    }

    /// The event with which the journal says that a loop began.
    private func began(_ loop: LoopID) -> UInt64 {
        durable.reduce(0) { found, record in
            guard case .event(let event) = record, event.loop == loop, event.source == .start else { return found }
            return event.sequence
        }
    }

    /// A coordinator whose loop began with these effects, which are on disk.
    static func begun(_ effects: PlannedEffect..., batchBytes: Int = 256 << 10) -> Stage {
        begun(effects, batchBytes: batchBytes)
    }

    static func begun(_ effects: [PlannedEffect], batchBytes: Int = 256 << 10) -> Stage {
        var stage = Stage(batchBytes: batchBytes)
        stage.play(.begin(.main, effects: effects))
        return stage
    }

    /// A coordinator and the worker Ann in session 1, who was sent these effects under attempt 1.1.
    static func working(_ effects: PlannedEffect...) -> Stage {
        var stage = begun(effects)
        stage.play(.hello(credit: 10))
        return stage
    }

    /// A coordinator in epoch 2 that found these effects in its journal.
    static func recovered(
        _ pending: PlannedEffect..., reported: ReportID? = nil, lastSequence: UInt64 = 0, keys: [String] = [],
        possibleHolders: [Incarnation]? = nil
    ) -> Stage {
        var stage = Stage(epoch: 2)
        if let possibleHolders { _ = stage.handle(.possibleHolders(possibleHolders)) }
        let effects = pending.enumerated().map { index, planned in
            (PendingEffect(id: .effect(UInt32(index)), effect: planned.effect, reported: reported), planned.plan)
        }
        stage.play(
            .recover(ResumedLoop(loop: .main, lastSequence: lastSequence, pending: effects, outsideKeys: keys)))
        return stage
    }

    /// One input, as it is: the dialogue itself.
    mutating func handle(_ input: CoordinatorInput) -> [CoordinatorAction] {
        switch input {
        case .begin(_, let effects, _), .applied(_, let effects):
            for planned in effects { plans[planned.effect.words] = planned.plan }
        case .committed(let ticket): durable += appended.removeValue(forKey: ticket) ?? []
        default: break
        }
        let actions = machine.handle(input, at: now)
        for case .append(let ticket, let records) in actions { appended[ticket] = records }
        return actions
    }

    /// Inputs, a flush, and all that follows from what the world answers; returns what it leaves unanswered.
    @discardableResult
    mutating func play(_ inputs: CoordinatorInput...) -> [CoordinatorAction] {
        var open: [CoordinatorAction] = []
        for input in inputs { open += perform(handle(input)) }
        repeat {
            let tickets = commits ? written : []
            written.removeFirst(tickets.count)
            for ticket in tickets { open += perform(handle(.committed(ticket))) }
            open += perform(handle(.flush))
        } while commits && !written.isEmpty
        return open
    }

    /// Commits the first ticket that waits, and nothing else.
    mutating func commitFirst() -> [CoordinatorAction] { perform(handle(.committed(written.removeFirst()))) }

    /// Commits what waits, and plays on.
    @discardableResult
    mutating func commit() -> [CoordinatorAction] {
        commits = true
        return play()
    }

    /// Lets time pass, while these workers say each half second that they live.
    @discardableResult
    mutating func wait(
        _ duration: Duration, alive: [Peer] = [], session: UInt64 = 1
    ) -> [CoordinatorAction] {
        var open: [CoordinatorAction] = []
        let end = now + duration
        while now < end {
            now = min(end, now + .milliseconds(500))
            for peer in alive { open += play(.says(.credit(total: 0), from: peer, session: session, epoch: epoch)) }
            if let deadline = machine.nextDeadline, deadline <= now { open += play(.tick) }
        }
        return open.withoutPulses
    }

    private mutating func perform(_ actions: [CoordinatorAction]) -> [CoordinatorAction] {
        var open: [CoordinatorAction] = []
        for action in actions {
            switch action {
            case .apply(let application): open += apply(application)
            case .applyAnew(let application):
                if machine.hasEnded(application.loop) {
                    open += perform(handle(.begin(application.loop, effects: first)))
                }
                open += apply(application)
            case .applyFailure(let id, _, _, _) where machine.hasOutlived(id):
                open += perform(handle(.completedWithoutEvent(id)))
            case .applyFailure(let id, _, let failure, let round):
                let event = Payload.news("failed: \(failure)")
                open += apply(
                    EventApplication(
                        loop: id.loop, source: .failure(id, round: round), event: event, ends: id, origin: .failure))
            case .applyAnswer(let id, _, let reply):
                let event = Payload.news("told: \(reply.words)")
                open += apply(
                    EventApplication(loop: id.loop, source: .answer(id), event: event, ends: id, origin: .answer))
            case .conclude(let request, let loop):
                let isHeld = machine.isHeld(loop)
                open += isHeld ? [.refuse(request, ClientRefusal(.held, "held"))] : perform(handle(.look(request)))
            case .applyTimer(let id, _, _, let ends) where machine.hasOutlived(id):
                if ends { open += perform(handle(.completedWithoutEvent(id))) }
            case .applyTimer(let id, _, let due, let ends):
                open += apply(
                    EventApplication(
                        loop: id.loop, source: .timer(id, due: due), event: .news("fired at \(due.milliseconds)"),
                        ends: ends ? id : nil, origin: .timer))
            case .deliver(let id, let effect, let loop): open += deliver(id, effect, to: loop)
            case .selectCancelled(let id, let effect):
                let words = effect.words.dropFirst("cancel ".count)
                let selected = machine.underWay(of: id.loop).filter { $0.effect.words == words }
                open += perform(handle(.cancelSelected(id, selected.map(\.id).sorted())))
            case .append(let ticket, let appended):
                records += appended
                written.append(ticket)
            case .send, .runLocal, .acknowledged, .confirm, .confirmEvent, .confirmAgain, .refuse, .unknown, .stopping,
                .busy,
                .lookUp, .note, .stopped, .ended, .cancelLocal, .remove, .evict, .unload, .await, .takeWaiting, .demand:
                open.append(action)
            }
        }
        return open
    }

    /// What the journal says of a loop's end.
    private func end(of loop: LoopID) -> EndedLoop? {
        var (sequence, end): (UInt64, EndedLoop?) = (0, nil)
        for record in durable where record.loop == loop {
            switch record {
            case .event(let event): sequence = event.sequence
            case .note(_, .loopEnded(let mayBeginAgain, let outstanding, let time)):
                end = EndedLoop(
                    loop: loop, sequence: sequence, time: time, mayBeginAgain: mayBeginAgain, outstanding: outstanding)
            case .note: break
            }
        }
        return end
    }

    /// As a host does it; an effect with the words "trap" has its loop held, and one that is unanswerable makes no event.
    private mutating func deliver(_ id: EffectID, _ effect: Payload, to loop: LoopID) -> [CoordinatorAction] {
        guard machine.isAddressed(id) else { return [] }
        guard machine.admitsDelivery(to: loop) else { return perform(handle(.undelivered(id, reason: nil))) }
        guard !away.contains(loop) else {
            deliveries.append(id)
            return perform(handle(.awaiting(id)))
        }
        let errand = machine.errand(of: id)
        guard errand.begins || machine.runs(loop) else { return perform(handle(.completedWithoutEvent(id))) }
        if errand == .end { return perform(handle(.endAlong(id, loop))) }
        var open: [CoordinatorAction] = []
        if machine.lastSequence(of: loop) == nil || machine.hasEnded(loop) {
            open += perform(handle(.begin(loop, effects: [])))
        }
        if effect.words == "trap" {
            open += perform(handle(.hold(loop)))
            return open + perform(handle(.undelivered(id, reason: nil)))
        }
        return open
            + apply(
                EventApplication(
                    loop: loop, source: .loop(id), event: .news(effect.words), ends: nil, origin: .effect(id)))
    }

    private mutating func apply(_ application: EventApplication) -> [CoordinatorAction] {
        if machine.dismisses(application) { return perform(handle(.dismissed(application))) }
        if application.event.words == "unreadable" {
            return perform(handle(.unreadable(application, reason: "strange")))
        }
        if application.event.words == "hold" { return perform(handle(.hold(application.loop))) }
        applied.append(application.event.words)
        return perform(handle(.applied(application, effects: update[application.event.words] ?? [])))
    }
}

extension [CoordinatorAction] {
    var withoutPulses: [CoordinatorAction] {
        filter { action in
            guard case .send(_, let envelope) = action, case .pulse = envelope.message else { return true }
            return false
        }
    }

    /// The orders that were sent.
    var orders: [EffectOrder] {
        flatMap { action -> [EffectOrder] in
            guard case .send(_, let envelope) = action, case .effects(_, let orders) = envelope.message else {
                return []
            }
            return orders
        }
    }

    /// How many orders were sent to a peer.
    func orders(to peer: Peer) -> Int {
        filter { if case .send(peer, _) = $0 { true } else { false } }.orders.count
    }
}

extension LoopReply {
    /// What a loop is told, in words.
    var words: String {
        switch reply {
        case nil: "nothing"
        case .answer(let payload): payload.words
        case .refusal(let reason): "no, \(reason)"
        }
    }
}
