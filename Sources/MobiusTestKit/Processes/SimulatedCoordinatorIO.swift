package import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// The environment of a simulated coordinator's driver: links instead of sockets, and a history instead of telemetry.
package final class SimulatedCoordinatorIO<Program: LoopProgram> {
    unowned let world: World<Program>
    let epoch: UInt64
    let name: String
    private let disk: Disk
    package let lease: (any CoordinatorLease<Program>)?
    let journal: SimulatedJournal<Program>
    let locals: any SimulatedHandlers
    package weak var process: CoordinatorProcess<Program>?
    /// The time at which the machine last decided; in a stopped process, the resulting actions are performed later.
    var decided: Moment
    /// Records that are appended, but not yet committed.
    private var appended: [Ticket: [JournalRecord]] = [:]
    /// Inputs that the host has not taken yet.
    private var inputs: [DurableHost<Program>.Input] = []

    init(
        _ world: World<Program>, _ disk: Disk, epoch: UInt64, name: String,
        by lease: (any CoordinatorLease<Program>)?, _ breadcrumbs: (any Breadcrumbs)?
    ) {
        self.world = world
        self.epoch = epoch
        self.name = name
        decided = world.now
        self.disk = disk
        self.lease = lease
        journal = SimulatedJournal(world, disk, writer: epoch, lease: lease, breadcrumbs)
        if let stage = world.stage {
            locals = StagedHandlers(
                world, ProcessHandlers(PlaceHandlers(world.functions), of: name, on: stage), of: name)
        } else if let director = world.director {
            locals = director.localHandlers(of: name)
        } else {
            preconditionFailure("Handlers are real, or a simulation's.")
        }
        journal.deliver = { [unowned self] in process?.journal($0) }
        journal.performed = { [unowned self] in process?.finish {} }
        locals.deliver = { [unowned self] in process?.post(.local($0)) }
    }

    // MARK: - The host's inputs

    func post(_ input: DurableHost<Program>.Input) { inputs.append(input) }

    func drain(into taken: inout [DurableHost<Program>.Input]) {
        taken = inputs
        inputs = []
    }

    /// Runs work as another thread of the process would: later, and not at all if the process ends before.
    func runInBackground(_ work: @escaping @Sendable () -> Void) {
        world.plan(after: world.chance.microseconds(0...2000)) { [weak self] _ in self?.process?.finish(work) }
    }

    /// Reads the journal as another thread of the process would: later, and not at all if the process ends before.
    func read(
        _ body: @escaping @Sendable (any JournalReading) throws(JournalError) -> Void,
        failed: @escaping @Sendable (JournalError) -> Void
    ) {
        let work = { [weak self] () -> Void in
            guard let self else { return }
            process?.finish { [disk] in
                do throws(JournalError) { try body(disk.content) } catch { failed(error) }
            }
        }
        world.plan(after: world.chance.microseconds(0...3000)) { [lease] _ in
            if let lease, !lease.reachesJournal { lease.whenReachable(work) } else { work() }
        }
    }

    /// A loop has returned to the process's memory.
    func returned(_ loop: PreparedLoop<Program>) {
        if let process { world.resumed(loop, in: process) }
    }

    // MARK: - Life cycle

    func freeze(_ isFrozen: Bool) {
        locals.freeze(isFrozen)
        journal.isAwake = !isFrozen
    }

    func abandon() {
        journal.abandon()
        locals.endWithProcess()
    }

    /// The commit is durable, so actions that depend on it may be performed.
    func released(_ ticket: Ticket) {
        let records = appended.removeValue(forKey: ticket) ?? []
        world.history.released(records, epoch: epoch, at: decided)
        process?.watchTimers(of: records)
    }
}

// MARK: - Messages

extension SimulatedCoordinatorIO: CoordinatorTransport {
    func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) -> Bool {
        guard let process, process.isAlive else { return false }
        lease?.tells("a message to a worker")
        world.history.said(envelope.message, to: world.places[peer.token], epoch: epoch, at: decided)
        guard let link = world.link(peer.token, to: process) else { return false }
        if case .effects(_, let orders) = envelope.message { orders.forEach(process.watch) }
        if world.loses(envelope.message, name) { return true }
        world.trace(name, "sends to \(peer.token): \(envelope.message.summary)")
        var bytes: [UInt8] = []
        envelope.encode(into: &bytes)
        if case .pulse = envelope.message {
            link.pulse = bytes
            world.carry(bytes, over: link, .toWorker, isNews: false)
        } else {
            world.carry(bytes, over: link, .toWorker)
        }
        return true
    }

    func answer(_ request: RequestID, _ answer: ClientAnswer) {
        guard process?.isAlive == true else { return }
        lease?.tells("an answer")
        if world.director?.handle(answer, to: request) == true { return }
        guard let answer = Answer(answer) else {
            return world.violated(.conduct, "\(name) sent an answer that matches no request")
        }
        world.answered(request, answer)
    }
}

extension SimulatedCoordinatorIO: LocalSenders {
    func traceparent(of request: RequestID) -> String { "" }
}

// MARK: - Observation

extension SimulatedCoordinatorIO: CoordinatorObserver {
    func noted(_ note: CoordinatorNote) {
        world.trace(name, "notes \(note)")
        world.history.noted(note, by: epoch, at: world.now)
    }

    func failed(_ effect: EffectID, _ failure: EffectFailure) {
        world.log(name, "fails effect \(effect): \(failure)")
    }

    func sent(_ orders: [EffectOrder], to peer: Peer, by machine: borrowing CoordinatorMachine) {}

    func appending(
        _ ticket: Ticket, _ records: [JournalRecord], at now: Moment, by machine: borrowing CoordinatorMachine
    ) {
        world.history.checkRetries(in: records, by: epoch, at: decided)
        appended[ticket] = records
    }
}

/// Reads of a simulated coordinator's journal.
struct SimulatedQueries<Program: LoopProgram>: JournalQueries {
    private let ports: HandedOver<SimulatedCoordinatorIO<Program>>

    init(_ ports: HandedOver<SimulatedCoordinatorIO<Program>>) {
        self.ports = ports
    }

    func read(
        _ body: @escaping @Sendable (any JournalReading) throws(JournalError) -> Void,
        failed: @escaping @Sendable (JournalError) -> Void
    ) {
        ports.value.read(body, failed: failed)
    }

    func close() {}
}
