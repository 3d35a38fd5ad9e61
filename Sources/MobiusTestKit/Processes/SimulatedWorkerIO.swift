package import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusWire

/// The environment of a simulated worker's driver of one shard, in place of a socket, a log and metrics.
package final class SimulatedWorkerIO<Program: LoopProgram>: WorkerTransport, WorkerObserver {
    package unowned let process: WorkerProcess<Program>
    package let shard: Int
    /// Whether there is a socket, which reconnects automatically.
    var hasSocket = false
    package var link: Link?
    /// The newest list of attempts that was sent.
    package private(set) var held: [HeldAttempt] = []
    /// Whether the message that is being read was truncated.
    var isReadingCut = false

    init(_ process: WorkerProcess<Program>, shard: Int) {
        self.process = process
        self.shard = shard
    }

    private var world: World<Program> { process.world }

    func connect(to endpoint: String?) {
        hasSocket = true
        world.connect(self)
    }

    func disconnect() {
        world.trace(process.name, "closes its connection")
        hasSocket = false
        world.cut(link)
        link = nil
    }

    func send(_ message: WorkerMessage, as frame: [UInt8]) {
        switch message {
        case .heartbeat(_, _, let held), .draining(let held): self.held = held
        case .hello(let hello): held = hello.held
        case .credit, .events, .failures, .bye, .reclaim: break
        }
        guard let link, link.isOpen else { return }
        if world.loses(message, process.name) { return }
        world.trace(process.name, "sends \(message.summary)")
        var isNews = true
        if case .heartbeat = message {
            link.heartbeat = frame
            isNews = false
        }
        world.carry(frame, over: link, .toCoordinator, isNews: isNews)
    }

    func received(_ message: CoordinatorMessage) {
        if isReadingCut {
            world.violated(.conduct, "\(process.name) decoded a truncated message: \(message.summary)")
        }
        world.trace(process.name, "receives \(message.summary)")
    }

    func begins(_ orders: [EffectOrder], at now: Moment) {
        for order in orders {
            world.history.started(order.id, order.effect, by: process.name, process.incarnation, at: now)
        }
    }

    func ended(_ id: AttemptID, _ failure: HandlerFailure?, at now: Moment) {}

    func note(_ note: WorkerNote) {
        world.trace(process.name, "notes \(note)")
        if case .malformed(let error) = note, !isReadingCut {
            world.violated(.conduct, "\(process.name) cannot decode a message from its coordinator: \(error)")
        }
    }
}

/// Runs the real handlers of a simulated worker, and records when they start and when they are cancelled.
final class StagedWorkerHandlers<Program: LoopProgram>: SimulatedWorkerHandlers {
    private unowned let process: WorkerProcess<Program>
    private let handlers: ProcessHandlers<Program>

    init(_ process: WorkerProcess<Program>, _ handlers: ProcessHandlers<Program>) {
        self.process = process
        self.handlers = handlers
    }

    var effectKinds: [PayloadKind] { handlers.runner.effectKinds }
    var isTracing: Bool { handlers.runner.isTracing }
    var progress: [AttemptID: Moment] { handlers.runner.progress }

    func run(_ orders: consuming [EffectOrder]) {
        for order in orders {
            guard let effect = process.read(order) else { continue }
            process.world.log(process.name, "begins \(effect), attempt \(order.id)")
            handlers.run(order, effect)
        }
    }

    func traceparent(of id: AttemptID) -> String { handlers.runner.traceparent(of: id) }

    func cancel(_ id: AttemptID) {
        process.cancels(id)
        process.world.log(process.name, "cancels \(id)")
        process.world.history.cancelled(id)
        handlers.cancel(id)
    }

    func acknowledged(_ id: AttemptID, events: Int, bytes: Int) {
        handlers.acknowledged(id, events: events, bytes: bytes)
    }

    func ended(_ id: AttemptID) { handlers.ended(id) }

    /// Those of the program, which report themselves.
    var unfinished: [AttemptID] { [] }

    func freeze(_ isFrozen: Bool) { handlers.freeze(isFrozen) }

    func endWithProcess() { handlers.endWithProcess() }
}
