package import MobiusEngine
package import MobiusRuntime
import MobiusWire

/// The drivers of a worker, one for each shard of the cluster, and the broker that shares out its slots between them.
///
/// A worker begins with the driver of shard 0, which has all slots. When a coordinator says that there are more shards, each
/// gets a driver with a transport of its own, and the slots become loans. The worker exits when all drivers have.
///
/// Like them it has no threads and no locks: one thread at a time uses it.
package final class ShardDrivers {
    /// The parts of the worker's process that one shard needs.
    package struct Ports {
        package let transport: any WorkerTransport
        package let observer: any WorkerObserver

        package init(transport: any WorkerTransport, observer: any WorkerObserver) {
            self.transport = transport
            self.observer = observer
        }
    }

    /// A part of ``decide(at:)``.
    package enum Part: CaseIterable, Sendable {
        /// Passes on to all drivers that one of them is to drain.
        case drain
        /// Performs timers that are due.
        case tick
        /// Lends slots to shards, and asks them back.
        case share
        /// Sends what was collected.
        case flush
        /// Makes the drivers of shards that are new.
        case grow
    }

    /// One driver for each shard, by its number.
    package private(set) var all: [WorkerDriver] = []
    private let isStepwise: Bool
    private let configuration: WorkerConfiguration
    private let handlers: any WorkerHandlers
    private let makePorts: (UInt32) -> Ports
    private var broker: SlotBroker
    /// The shards of running handlers, but those of shard 0.
    private let owners = Owners()
    /// The time until which it drains, once it was asked to.
    private var drainsBy: Moment?

    /// Makes the driver of shard 0, without a connection.
    ///
    /// - Parameters:
    ///   - isStepwise: Whether actions wait for ``step(at:)``, as in a ``WorkerDriver``.
    ///   - makePorts: Called with the number of each shard, before anything else of it.
    package init(
        _ configuration: WorkerConfiguration, handlers: any WorkerHandlers, isStepwise: Bool = false,
        makePorts: @escaping (UInt32) -> Ports
    ) {
        self.isStepwise = isStepwise
        self.configuration = configuration
        self.handlers = handlers
        self.makePorts = makePorts
        broker = SlotBroker(capacity: configuration.capacity)
        let ports = makePorts(0)
        all = [
            WorkerDriver(
                configuration, transport: ports.transport, handlers: handlers, observer: ports.observer,
                isStepwise: isStepwise)
        ]
    }

    /// The time at which to call ``decide(at:)`` next; `nil` when nothing is scheduled.
    package var nextDeadline: Moment? {
        all.lazy.filter { $0.exit == nil }.reduce(nil) { Moment.earliest($0, $1.nextDeadline) }
    }

    /// Whether it has a session of at least one shard.
    package var isJoined: Bool { all.contains { $0.isJoined } }

    /// The number of effects handled without failure.
    package var handled: Int { all.reduce(0) { $0 + $1.handled } }

    /// The reason why the worker must exit, after which it accepts no inputs; `nil` while it runs.
    package var exit: WorkerExit? {
        var given = 0
        var isOver = true
        for driver in all {
            switch driver.exit {
            case .rejected(let reason)?: return .rejected(reason)
            case .gaveUp(let attempts)?: given += attempts
            case .drained?: break
            case nil: isOver = false
            }
        }
        guard isOver else { return nil }
        return given > 0 ? .gaveUp(attempts: given) : .drained
    }

    /// Whether handlers were started since the last call.
    package func takeStarted() -> Bool { all.reduce(false) { $1.takeStarted() || $0 } }

    /// A handler reported an event, or ended.
    package func handle(_ outcome: consuming HandlerOutcome, at now: Moment) {
        guard all.count > 1 else { return all[0].handle(consume outcome, at: now) }
        let id: AttemptID
        switch outcome {
        case .report(let attempt, _, _), .failed(let attempt, _): id = attempt
        }
        all[owners.shards[id] ?? 0].handle(consume outcome, at: now)
    }

    /// Drains the worker: see ``WorkerDriver/drain(by:at:)``.
    package func drain(by deadline: Moment, at now: Moment) {
        drainsBy = drainsBy ?? deadline
        for driver in all where driver.exit == nil { driver.drain(by: deadline, at: now) }
    }

    /// Handles due timers, and sends what was collected until all inputs were handled.
    package func decide(at now: Moment) {
        for part in Part.allCases { decide(part, at: now) }
    }

    /// Does one part of that; a simulator performs all actions before the next one.
    package func decide(_ part: Part, at now: Moment) {
        switch part {
        case .drain:
            // A coordinator that has the worker leave ends it, as one that does not admit it.
            if drainsBy == nil, let deadline = all.lazy.compactMap(\.drainsBy).first { drain(by: deadline, at: now) }
        case .tick: for driver in all where driver.exit == nil { driver.tick(at: now) }
        case .share: if all.count > 1 { share(at: now) }
        case .flush: for driver in all where driver.exit == nil { driver.flush(at: now) }
        case .grow: grow(at: now)
        }
    }

    // MARK: Steps

    /// Whether no action waits.
    package var isIdle: Bool { all.allSatisfy(\.isIdle) }

    /// Whether each shard's driver waits only for orders, handlers and heartbeats.
    package var isAtRest: Bool { all.allSatisfy(\.isAtRest) }

    /// Performs the next action, if any waits.
    package func step(at now: Moment) { all.first { !$0.isIdle }?.step(at: now) }

    // MARK: Shards

    private func grow(at now: Moment) {
        let shards = all.reduce(1) { max($0, Int($1.shards)) }
        guard shards > all.count, drainsBy == nil else { return }
        if all.count == 1 { all[0].borrow(all: true) }
        for shard in all.count..<shards {
            var configuration = configuration
            configuration.shard = UInt32(shard)
            configuration.seed &+= UInt64(shard)
            // The first shard has checked them, perhaps under an earlier build, whose workers go on.
            configuration.effectTypes = []
            let ports = makePorts(UInt32(shard))
            let driver = WorkerDriver(
                configuration, transport: ports.transport, handlers: ShardHandlers(handlers, owners, shard),
                observer: ports.observer, isStepwise: isStepwise)
            driver.borrow(all: false)
            all.append(driver)
            driver.begin()
        }
        share(at: now)
    }

    private func share(at now: Moment) {
        for move in broker.moves(all.map(\.account)) {
            switch move {
            case .lend(let shard, let slots): all[shard].lend(slots)
            case .askBack(let shard, let slots): all[shard].giveBack(slots, at: now)
            }
        }
    }
}

/// The shards of running handlers.
private final class Owners {
    var shards: [AttemptID: Int] = [:]
}

/// The handlers of a worker as the driver of one of several shards uses them.
private final class ShardHandlers: WorkerHandlers {
    private let handlers: any WorkerHandlers
    private let owners: Owners
    private let shard: Int

    init(_ handlers: any WorkerHandlers, _ owners: Owners, _ shard: Int) {
        self.handlers = handlers
        self.owners = owners
        self.shard = shard
    }

    var effectKinds: [PayloadKind] { handlers.effectKinds }
    var progress: [AttemptID: Moment] { handlers.progress }
    var isTracing: Bool { handlers.isTracing }

    func cancel(_ id: AttemptID) { handlers.cancel(id) }
    func traceparent(of id: AttemptID) -> String { handlers.traceparent(of: id) }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        handlers.acknowledged(id, events: events, bytes: bytes)
    }

    func run(_ orders: consuming [EffectOrder]) {
        for place in orders.indices { owners.shards[orders[place].id] = shard }
        handlers.run(orders)
    }

    func ended(_ id: AttemptID) {
        owners.shards[id] = nil
        handlers.ended(id)
    }
}
