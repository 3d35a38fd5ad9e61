import MobiusEngine
import MobiusWire

// What peers heard, without the order in which different messages of one flush left.

extension Stage {
    /// Plays the inputs, commits everything, lets 10 ms pass, so that what may be held back for a moment has left, too.
    @discardableResult
    mutating func settle(_ inputs: CoordinatorInput...) -> [CoordinatorAction] {
        commits = true
        var open: [CoordinatorAction] = []
        for input in inputs { open += play(input) }
        now = now + .milliseconds(10)
        open += play(.tick)
        return open.withoutPulses
    }

    /// A report of events; it tells of no new credit.
    @discardableResult
    mutating func reports(_ reports: EventReport...) -> [CoordinatorAction] {
        settle(.says(.events(creditTotal: 0, reports)))
    }

    /// A report of a failure; it tells of no new credit.
    @discardableResult
    mutating func fails(_ report: FailureReport) -> [CoordinatorAction] {
        settle(.says(.failures(creditTotal: 0, [report])))
    }
}

extension CoordinatorInput {
    /// HEARTBEAT with the attempts that the worker holds, and what it knows of its orders.
    static func holds(
        _ held: AttemptID..., of sent: UInt64 = 0, received: UInt64 = 0, credit: UInt64 = 0, from peer: Peer = .ann,
        session: UInt64 = 1
    ) -> CoordinatorInput {
        let orders = OrderCount(sent: sent, received: received)
        let list = WorkerMessage.heartbeat(
            creditTotal: credit, orders: orders, held: held.map { HeldAttempt(id: $0) })
        return .says(list, from: peer, session: session)
    }
}

extension [CoordinatorAction] {
    private func heard(by peer: Peer) -> [CoordinatorMessage] {
        compactMap { if case .send(peer, let envelope) = $0 { envelope.message } else { nil } }
    }

    /// The attempts that a peer was ordered to make.
    func ordered(_ peer: Peer = .ann) -> [AttemptID] {
        heard(by: peer).flatMap { if case .effects(_, let orders) = $0 { orders.map(\.id) } else { [AttemptID]() } }
    }

    /// The reports that were acknowledged to a peer.
    func acknowledged(_ peer: Peer = .ann) -> [ReportID] {
        heard(by: peer).flatMap { if case .ack(let reports) = $0 { reports } else { [ReportID]() } }
    }

    /// The attempts that a peer was told to forget.
    func stale(_ peer: Peer = .ann) -> [AttemptID] {
        heard(by: peer).flatMap { if case .stale(let attempts) = $0 { attempts } else { [AttemptID]() } }
    }

    /// The attempts that a peer was told to stop.
    func cancelled(_ peer: Peer = .ann) -> [AttemptID] {
        heard(by: peer).flatMap { if case .cancel(let attempts) = $0 { attempts } else { [AttemptID]() } }
    }

    /// What the operator was told.
    var notes: [CoordinatorNote] {
        compactMap { if case .note(let note) = $0 { note } else { nil } }
    }
}
