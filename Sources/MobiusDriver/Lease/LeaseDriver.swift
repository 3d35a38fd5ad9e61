package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// Keeps the leases of one process: it hands a ``LeaseMachine`` what its database and its threads say, and makes terms of what the
/// machine decides.
///
/// It is pure, but for gates. Its owner asks for the ``next(at:)`` call, makes it, hands in the answer or the failure, and performs
/// the events that each of these returns. In production that is `LeaseKeeper`, with a thread and a lock; in the simulation a host.
package struct LeaseDriver<Gate: TermGate> {
    package typealias Term = ShardTerm<Gate>

    /// What a call of the database returned.
    package enum Answer: Sendable {
        case connected
        case read([ShardState])
        case attended([ClusterMember])
        case resigned
        /// The epoch of a shard that was taken; `nil` when another process was faster.
        case acquired(UInt64?)
        /// The outcomes of renewals, in their order.
        case renewed([LeaseOutcome])
        case released
        case shares([LimitShare])
        /// The outcomes of claims, in their order.
        case claimed([LimitOutcome])
        /// A wait has ended because a lease was released.
        case woken
    }

    /// Something for its owner to do.
    package enum Event: Equatable, Sendable {
        /// A term may begin: ask for ``nextTerm()``.
        case acquired
        /// The shard is another's: its work ends at once.
        case lost(UInt32, epoch: UInt64)
        /// The work of the shard is to end in order.
        case handOver(UInt32, epoch: UInt64)
        /// The shard goes by other units of a limit.
        case share(UInt32, LimitGrant)
        /// Find out whether this endpoint refuses connections, and call ``post(_:)`` with ``LeaseInput/probed(_:isRefused:)``.
        case probe(UInt64, endpoint: String)
        /// The rows of these shards are missing or damaged, and were not when they were read before.
        case damaged([UInt32])
    }

    /// More workers than a lease's row should name.
    private static var mostHolders: Int { 1000 }

    private var machine: LeaseMachine
    private let makeGate: (_ shard: UInt32, _ epoch: UInt64, _ until: Moment) -> Gate
    /// The inputs that wait to be handed to the machine.
    private var inputs: [LeaseInput] = []
    /// The shards' demands for the cluster's limits, and whether they are new to the machine.
    private var demands: [UInt32: (epoch: UInt64, all: [LimitDemand], isNew: Bool)] = [:]
    /// The terms that have not begun.
    private var terms: [Term] = []
    /// The shards that are run.
    private var running: Set<UInt32> = []
    /// The gate of each shard's newest term.
    package private(set) var gates: [UInt32: Gate] = [:]
    /// The shards as they were when they were taken.
    private var taken: [UInt32: ShardState] = [:]
    private var damaged: Set<UInt32> = []
    package private(set) var isLeaving = false

    /// Makes the driver of a process.
    ///
    /// - Parameter makeGate: Makes the gate of a term, which is open until then.
    package init(
        _ holder: LeaseHolder, timing: LeaseTiming,
        makeGate: @escaping (_ shard: UInt32, _ epoch: UInt64, _ until: Moment) -> Gate
    ) {
        machine = LeaseMachine(holder, timing: timing)
        self.makeGate = makeGate
    }

    /// The shards and their leases as they were read last.
    package var view: [ShardState] { machine.view }

    /// The epoch under which the process has a shard; `nil` when it does not.
    package func epoch(of shard: UInt32) -> UInt64? { machine.epoch(of: shard) }

    // MARK: - Calls

    /// The call to make next, and what to do before it.
    package mutating func next(at now: Moment) -> (step: LeaseStep, events: [Event]) {
        for (shard, demand) in demands.sorted(by: { $0.key < $1.key }) where demand.isNew {
            inputs.append(.demanded(shard, epoch: demand.epoch, demand.all))
            demands[shard]?.isNew = false
        }
        var events: [Event] = []
        while !inputs.isEmpty { handle(inputs.removeFirst(), at: now, &events) }
        return (machine.next(at: now), events)
    }

    /// Whether there is something that ``next(at:)`` hands to the machine.
    package var hasInputs: Bool { !inputs.isEmpty }

    /// A call has returned, which was made at `asked`.
    package mutating func answered(_ step: LeaseStep, _ answer: Answer, asked: Moment, at now: Moment) -> [Event] {
        var events: [Event] = []
        switch (step, answer) {
        case (.read, .read(let shards)):
            handle(.read(shards), at: now, &events)
            note(damagedAmong: shards, &events)
        case (.acquire(let seen, _, _), .acquired(let epoch)):
            taken[seen.shard] = seen
            handle(.acquired(seen, epoch: epoch, asked: asked), at: now, &events)
        case (.renew(let leases), .renewed(let outcomes)):
            for (lease, outcome) in zip(leases, outcomes) {
                handle(.renewed(lease.shard, epoch: lease.epoch, outcome, asked: asked), at: now, &events)
            }
        case (.release(let shard, let epoch, _), .released):
            handle(.released(shard, epoch: epoch), at: now, &events)
        case (.claimShares(let shard, let epoch, _, _), .claimed(let outcomes)):
            handle(.claimedShares(shard, epoch: epoch, outcomes), at: now, &events)
        case (.readShares, .shares(let shares)): handle(.readShares(shares), at: now, &events)
        case (.attend, .attended(let members)): handle(.attended(members), at: now, &events)
        case (.resign, .resigned): handle(.resigned, at: now, &events)
        case (.connect, .connected): handle(.connected, at: now, &events)
        case (.wait, .woken): handle(.woken, at: now, &events)
        default: preconditionFailure("\(answer) is no answer to \(step).")
        }
        return events
    }

    /// A call has failed, or, without one, the connection of the database was lost.
    ///
    /// - Returns: whether the connection is to be closed: a shard that cannot be taken does not need another one.
    package mutating func failed(
        _ step: LeaseStep?, isHeld: Bool = false, at now: Moment
    ) -> (closes: Bool, events: [Event]) {
        var events: [Event] = []
        if case .acquire(let seen, _, _) = step {
            // It may have been taken, which the next read tells.
            handle(.acquired(seen, epoch: nil, asked: now), at: now, &events)
            if isHeld { return (false, events) }
        }
        handle(.failed, at: now, &events)
        return (true, events)
    }

    private mutating func note(damagedAmong shards: [ShardState], _ events: inout [Event]) {
        let now = Set(shards.filter(\.isDamaged).map(\.shard))
        let new = now.subtracting(damaged)
        damaged = now
        if !new.isEmpty { events.append(.damaged(new.sorted())) }
    }

    private mutating func handle(_ input: LeaseInput, at now: Moment, _ events: inout [Event]) {
        for action in machine.handle(input, at: now) {
            switch action {
            case .start(let shard, let epoch, let end): start(shard, epoch, until: end, &events)
            case .trust(let shard, let end): gates[shard]?.trust(until: end)
            case .lost(let shard, let epoch):
                gates[shard]?.close()
                terms.removeAll { $0.shard == shard }
                events.append(.lost(shard, epoch: epoch))
            case .handOver(let shard, let epoch): events.append(.handOver(shard, epoch: epoch))
            case .share(let shard, _, let grant): events.append(.share(shard, grant))
            case .probe(let number, let endpoint): events.append(.probe(number, endpoint: endpoint))
            }
        }
    }

    private mutating func start(_ shard: UInt32, _ epoch: UInt64, until end: Moment, _ events: inout [Event]) {
        guard !isLeaving else { return inputs.append(.ended(shard, epoch: epoch, isFailure: false)) }
        let (gate, before) = (makeGate(shard, epoch, end), taken[shard])
        gates[shard] = gate
        terms.append(
            Term(
                shard: shard, epoch: epoch, previous: before?.epoch ?? .max, possibleHolders: before?.possibleHolders,
                gate: gate))
        events.append(.acquired)
    }

    // MARK: - Terms

    /// Takes the next term: not before the one of the same shard before it has ended.
    package mutating func nextTerm() -> Term? {
        guard let next = terms.firstIndex(where: { !running.contains($0.shard) }) else { return nil }
        let term = terms.remove(at: next)
        running.insert(term.shard)
        return term
    }

    /// Whether terms have begun that have not ended.
    package var isRunning: Bool { !running.isEmpty }

    /// The work of a term has ended: its lease is released, if it is still this process's.
    ///
    /// - Parameter possibleHolders: The workers that hold effects, when no others do.
    package mutating func ended(_ term: Term, isFailure: Bool, possibleHolders: [Incarnation]? = nil) {
        let few = possibleHolders.flatMap { $0.count > Self.mostHolders ? nil : $0 }
        finish(term, .ended(term.shard, epoch: term.epoch, isFailure: isFailure, possibleHolders: few))
    }

    /// The work of a term has ended because no process can run its shard as that is.
    package mutating func unfit(_ term: Term) { finish(term, .unfit(term.shard, epoch: term.epoch)) }

    private mutating func finish(_ term: Term, _ input: LeaseInput) {
        term.gate.close()
        running.remove(term.shard)
        demands[term.shard] = nil
        inputs.append(input)
    }

    // MARK: - What others tell

    /// Hands an input to the machine before the next call.
    package mutating func post(_ input: LeaseInput) { inputs.append(input) }

    /// The shard's machine says what it could use of the cluster's limits; returns whether something of it is pressing.
    package mutating func demand(_ all: [LimitDemand], in term: Term) -> Bool {
        let before = demands[term.shard].flatMap { $0.epoch == term.epoch ? $0.all : nil }
        demands[term.shard] = (term.epoch, all, true)
        guard let before else { return true }
        let known = Dictionary(before.map { ($0.key, $0) }) { $1 }
        return all.contains { $0.isPressing(since: known[$0.key]) }
    }

    /// Takes no more shards, and leaves when the held ones have ended; may be called any number of times.
    package mutating func leave() {
        if !isLeaving { inputs.append(.leave) }
        isLeaving = true
        // Nobody will run what was taken just now.
        for term in terms { inputs.append(.ended(term.shard, epoch: term.epoch, isFailure: false)) }
        terms = []
        for gate in gates.values { gate.stopWaiting() }
    }
}
