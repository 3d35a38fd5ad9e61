import MobiusJournal
import MobiusWire

// Sessions: HELLO and WELCOME, the messages of a session, the end of a worker.
extension CoordinatorMachine {
    mutating func receive(
        _ envelope: consuming Envelope<WorkerMessage>, from peer: Peer, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        guard stopping == .no else { return }  // workers keep what is not acknowledged
        if case .hello(let hello) = envelope.message {
            greet(hello, epoch: envelope.epoch, from: peer, at: now, &actions)
            return
        }
        guard let incarnation = roster.worker(at: peer), envelope.epoch == configuration.epoch,
            let worker = roster.slot(of: incarnation), roster[worker].session == envelope.session
        else {
            if envelope.message != .bye { send(.resync, to: peer, session: envelope.session, &actions) }
            return
        }
        roster.hear(worker, credit: envelope.message.creditTotal, at: now)
        switch envelope.message {
        case .events where isFull, .failures where isFull: roster.miss(worker)
        case .hello, .credit: break
        case .heartbeat(_, let orders, let held):
            roster[worker].hearsAgain = roster[worker].wanted != nil
            compare(held, orders, of: incarnation, at: now, &actions)
        case .events(_, var reports):
            envelope.message = .bye  // so that the reports are unshared when their events are moved out
            for position in reports.indices {
                receive(&reports[position], from: incarnation, worker, at: now, &actions)
            }
        case .failures(_, let reports):
            for report in reports { receive(report, from: incarnation, worker, at: now, &actions) }
        case .draining(let held):
            if !roster[worker].draining { actions.append(.note(.draining(incarnation))) }
            roster[worker].draining = true
            // Effects with affinity to it need not wait until it has left.
            for pool in roster[worker].pools { dispatcher.reassignSticky(pool, &effects, roster) }
            takeBack(from: incarnation, allBut: running(held, on: incarnation), .unbegun, at: now, &actions)
        case .reclaim(let number, let credits):
            if number > roster[worker].reclaimed {
                roster[worker].reclaimed = number
                roster[worker].reclaim(credits)
            }
            let answer = CoordinatorMessage.reclaimed(number: number, total: roster[worker].void)
            send(answer, to: peer, session: roster[worker].session, &actions)
        case .bye:
            let effects = remove(incarnation, .givenUp, at: now, &actions)
            actions.append(.note(.left(incarnation, effects: effects)))
        }
    }

    private mutating func greet(
        _ hello: Hello, epoch: UInt64, from peer: Peer, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard hello.versions.contains(Head.version) else {
            rejectMalformed(
                peer, reason: "this coordinator speaks version \(Head.version) of the protocol only", &actions)
            return
        }
        guard hello.shard == configuration.shard else {
            let moved = Moved(endpoint: nil, hello: hello.number, shards: configuration.shards)
            return send(.moved(moved), to: peer, session: 0, &actions)
        }
        // A worker that names no coding is not checked.
        if let coding = configuration.contentType, !hello.contentTypes.isEmpty, !hello.contentTypes.contains(coding) {
            let known = hello.contentTypes.prefix(8).joined(separator: ", ")
            rejectMalformed(
                peer, reason: "the program's effects are \(coding), and this worker reads only \(known)", &actions)
            return
        }
        if let complaint = complaint(aboutHandlersOf: hello) {
            rejectMalformed(peer, reason: complaint, &actions)
            return
        }
        let isNew = roster.slot(of: hello.incarnation) == nil
        guard !isNew || roster.count < Roster.maximumWorkers else {
            rejectMalformed(peer, reason: "there are \(Roster.maximumWorkers) workers already", &actions)
            return
        }
        let sameJournal = hello.journal == configuration.journal
        guard !sameJournal || epoch <= configuration.epoch else {
            // No REJECT, which would end the worker: it must survive a coordinator that has been replaced without
            // detecting it.
            if roster.reject(peer) {
                actions.append(.note(.outranked(peer, by: epoch, own: configuration.epoch)))
            }
            return
        }
        let before = roster[hello.incarnation]
        // A repeated or late HELLO is outdated; the worker waits for the answer to its newest one.
        if let before, hello.number > 0, hello.number <= before.hello { return }
        // A connection belongs to one process: the former process has ended.
        if let former = roster.worker(at: peer), former != hello.incarnation {
            let effects = remove(former, .lost, at: now, &actions)
            actions.append(.note(.lost(former, effects: effects)))
        }
        if let before { dispatcher.leave(before.incarnation, before.pools, &effects, roster) }
        let session = roster.admit(hello, at: peer, now: now)
        dispatcher.join(hello.incarnation, hello.pools, &effects, roster)
        let timing = configuration.timing
        let welcome = Welcome(
            hello: hello.number, version: Head.version, journal: configuration.journal,
            heartbeat: timing.heartbeat.wireMilliseconds, silence: timing.silence.wireMilliseconds,
            maximumPayload: configuration.maximumPayload, takesTraces: configuration.takesTraces,
            shards: configuration.shards)
        send(.welcome(welcome), to: peer, session: session, &actions)
        // Ids of effects are valid within one journal only.
        let held = sameJournal ? hello.held : []
        let adopted = adopt(held, by: hello.incarnation, at: now)
        if !sameJournal {
            roster.with(hello.incarnation) { worker in for held in hello.held { worker.outbox.answerStale(held.id) } }
        }
        actions.append(
            .note(.joined(hello.incarnation, pools: hello.pools, build: hello.build, adopted: adopted)))
        adoption.joined(hello.incarnation, at: now)
        // An order of its last session that it does not list will never arrive.
        let list = running(held, on: hello.incarnation)
        redeliver(to: hello.incarnation, missingFrom: list, sent: .max, at: now, &actions)
    }

    /// Returns why a new worker cannot run the effects of its pools; `nil` when it can, or does not say.
    ///
    /// One that a journal has had before goes on, with the effects that it knows: its coordinator may have been replaced.
    private func complaint(aboutHandlersOf hello: Hello) -> String? {
        guard hello.journal == nil, !hello.effectTypes.isEmpty else { return nil }
        for pool in hello.pools {
            let missing = configuration.effectTypes[pool, default: []].subtracting(hello.effectTypes)
            guard let type = missing.min() else { continue }
            let known = hello.effectTypes.prefix(4).joined(separator: ", ")
            return """
                effects of the type \(type) go to the pool \(pool), and this worker has handlers only for \(known): build it with the \
                library that has the coordinator's programs, and list the handlers of each
                """
        }
        return nil
    }

    /// Removes a worker and takes its effects back; returns their number.
    mutating func remove(
        _ incarnation: Incarnation, _ fate: Fate, at now: Moment, _ actions: inout [CoordinatorAction]
    ) -> Int {
        let returned = takeBack(from: incarnation, allBut: [], fate, at: now, &actions)
        guard let worker = roster.remove(incarnation) else { return 0 }
        // Reserved attempts never begin, even if the worker returns under this name.
        reinsert(
            worker.reserved.map(\.effect).filter { id in
                if case .starting(_, incarnation) = effects[id]?.phase { true } else { false }
            })
        dispatcher.leave(incarnation, worker.pools, &effects, roster)
        return returned
    }

    /// Ends the session of a peer that is not admitted; its effects go to others, without counting a failure.
    ///
    /// REJECT is sent each time, in case an earlier one was lost.
    mutating func disconnect(_ peer: Peer, reason: String, at now: Moment, _ actions: inout [CoordinatorAction]) {
        if let incarnation = roster.worker(at: peer) {
            let effects = remove(incarnation, .givenUp, at: now, &actions)
            actions.append(.note(.left(incarnation, effects: effects)))
        }
        send(.reject(reason), to: peer, session: 0, &actions)
        actions.append(.note(.refused(peer, reason: reason)))
    }

    /// Sends a peer one REJECT, and logs it for the operator.
    mutating func rejectMalformed(_ peer: Peer, reason: String, _ actions: inout [CoordinatorAction]) {
        guard roster.reject(peer) else { return }
        send(.reject(reason), to: peer, session: 0, &actions)
        actions.append(.note(.refused(peer, reason: reason)))
    }
}

extension WorkerMessage {
    /// The credit total in the message.
    fileprivate var creditTotal: UInt64? {
        switch self {
        case .credit(let total), .heartbeat(let total, _, _), .events(let total, _), .failures(let total, _): total
        case .hello, .draining, .bye, .reclaim: nil
        }
    }
}
