import MobiusEngine
import MobiusJournal
import MobiusWire

// The coordinating process: what its edge does with the machine's actions.
extension FleetWorld {
    func startCoordinator() {
        epoch += 1
        willFlush = false
        applied = journal.sources
        asked = journal.asked.count
        locals = []
        coordinator = CoordinatorMachine(
            CoordinatorConfiguration(journal: journal.identity, epoch: epoch, timing: Self.timing))
        for loop in FleetProgram.loops {
            do {
                if let resumed = try journal.recover(loop, plan) {
                    tell(.recover(resumed))
                } else {
                    tell(.begin(loop, effects: ask(FleetProgram.event([2, 4, 0, 1]))))
                }
            } catch {
                violations.append("the journal cannot be read back: \(error)")
            }
        }
    }

    func killCoordinator() {
        guard coordinator != nil else { return }
        coordinator = nil
        journal.crash(&random)
        for slot in workers.indices { disconnect(slot) }
        agenda.add(.startCoordinator, at: now + random.microseconds(1000...800_000))
    }

    func tell(_ input: CoordinatorInput) {
        guard let actions = coordinator?.handle(input, at: now) else { return }
        for action in actions { perform(action) }
        guard input != .flush, !willFlush else { return }
        willFlush = true
        agenda.add(.flushCoordinator(epoch: epoch), at: now + pauseBeforeFlush())
    }

    func arriveAtCoordinator(_ bytes: [UInt8], over connection: UInt64) {
        guard let link = connections[connection], !link.muted else { return }
        do {
            let envelope = try Envelope<WorkerMessage>(decoding: bytes.span.bytes)
            tell(.received(envelope, from: Peer(connection)))
        } catch {
            violations.append("a worker's message cannot be read: \(error)")
        }
    }

    private func perform(_ action: CoordinatorAction) {
        switch action {
        case .apply(let application): apply(application)
        case .applyFailure(let id, let effect, _, let round):
            guard FleetProgram.hearsFailure(effect) else {
                tell(.unheard(id))
                return
            }
            let application = Application(
                loop: id.loop, source: .failure(id, round: round), event: FleetProgram.event([2]), ends: id,
                origin: .failure)
            apply(application)
        case .append(let ticket, let records):
            journal.write(ticket, records)
            lastCommit = max(lastCommit, now + random.microseconds(0...8000))
            agenda.add(.committed(epoch: epoch), at: lastCommit)
        case .send(let peer, let envelope): send(envelope, to: peer)
        case .runLocal(let id, _):
            locals.insert(id)
            let handler = FleetHandler(attempt: id, left: random.number(0...3))
            agenda.add(.local(epoch: epoch, handler), at: now + random.microseconds(100...20_000))
        case .confirm(let request, _): confirmed.insert("key \(request.number)")
        case .refuse(let request, _):
            let key = "key \(request.number)"
            if outside[key]?.bytes.first != FleetProgram.unreadable { violations.append("\(key) was refused") }
            confirmed.insert(key)
        case .note: break
        case .busy, .stopping, .lookUp, .applyTimer, .selectCancelled: violations.append("the coordinator did what nobody asked for")
        case .stopped: violations.append("the coordinator stopped by itself")
        }
    }

    private func apply(_ application: Application) {
        guard application.event.bytes.first != FleetProgram.unreadable else {
            tell(.unreadable(application, reason: "not an event"))
            return
        }
        if !applied.insert(application.source).inserted { violations.append("\(application.source) came twice") }
        tell(.applied(application, effects: ask(application.event)))
    }

    private func plan(_ effect: Payload) -> EffectPlan {
        FleetProgram.plan(effect, timeout: troubles.contains(.hastyTimeouts) ? .milliseconds(400) : .seconds(2))
    }

    private func ask(_ event: Payload) -> [PlannedEffect] {
        let effects = FleetProgram.effects(event, allowed: budget - asked)
        asked += effects.count
        return effects.map { PlannedEffect(effect: $0, plan: plan($0)) }
    }

    private func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) {
        guard let link = connections[peer.token] else {
            agenda.add(.unreachable(epoch: epoch, peer), at: now)
            return
        }
        if case .ack(let reports) = envelope.message { check(reports) }
        guard !isLost else { return }
        var bytes: [UInt8] = []
        envelope.encode(into: &bytes)
        let moment = arrival(after: link.lastDown)
        connections[peer.token]?.lastDown = moment
        agenda.add(.toWorker(connection: peer.token, bytes), at: moment)
    }

    /// An acknowledged event is on disk.
    private func check(_ reports: [ReportID]) {
        for report in reports where eventReports.contains(report) {
            if journal.sources.contains(.report(report.attempt, number: report.number)) { continue }
            violations.append("\(report) was acknowledged before its event was on disk")
        }
    }

    /// A handler in the coordinating process.
    func advance(_ handler: FleetHandler) {
        guard locals.contains(handler.attempt) else { return }
        var handler = handler
        if handler.left > 0 {
            handler.left -= 1
            tell(.localReport(handler.attempt, event: FleetProgram.readableEvent(&random), final: false))
            agenda.add(.local(epoch: epoch, handler), at: now + random.microseconds(100...20_000))
        } else {
            locals.remove(handler.attempt)
            let event = random.chance(50) ? FleetProgram.readableEvent(&random) : nil
            tell(.localReport(handler.attempt, event: event, final: true))
        }
    }

    func sendOutside(_ key: String) {
        guard !confirmed.contains(key), let event = outside[key], let digit = key.last?.wholeNumberValue else { return }
        let loop = FleetProgram.loops[digit % 2]
        tell(.outside(RequestID(UInt64(digit)), loop, key: key, event: event))
        agenda.add(.outside(key: key), at: now + .milliseconds(200))
    }
}
