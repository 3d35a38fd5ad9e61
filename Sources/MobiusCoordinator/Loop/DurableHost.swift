import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// The host of one loop with a journal, and of its local handlers.
final class DurableHost<Program: LoopProgram>: LoopHost {
    /// What other threads tell the socket thread.
    enum Input: Sendable {
        case journal(JournalThread.Report)
        case local(HandlerOutcome)
        case outside(RequestID, LoopID, key: String, Payload)
        /// Somebody wants to see the model.
        case watch
        case stop
    }

    private let loop: TypedLoop<Program>
    private let mailbox: Mailbox<Input>
    private let requests: Requests
    private let journal: JournalWriter
    private let locals: EffectRunner<Program.Effect, Program.Event>
    private var snapshots: SnapshotPolicy
    private var models: ModelPublisher<Program.Model>
    private(set) var hasEnded = false
    // Memory used again and again.
    private var inputs: [Input] = []

    /// Hosts a loop; `locals` deliver to the mailbox, as the journal does.
    init(
        _ loop: TypedLoop<Program>, mailbox: Mailbox<Input>, requests: Requests, journal: JournalWriter,
        locals: EffectRunner<Program.Effect, Program.Event>, watchers: ModelWatchers<Program.Model>,
        snapshotBytes: Int
    ) {
        self.loop = loop
        self.mailbox = mailbox
        self.requests = requests
        self.journal = journal
        self.locals = locals
        snapshots = SnapshotPolicy(lastBytes: snapshotBytes)
        models = ModelPublisher(watchers)
    }

    var wakeUp: WakeUp { mailbox.wakeUp }

    func takeInputs(_ tell: (CoordinatorInput) throws -> Void) throws {
        mailbox.take(into: &inputs)
        for input in inputs {
            switch input {
            case .journal(let report): try heard(report, tell)
            case .local(.report(let id, let event, let final)):
                if final { locals.ended(id) }
                try tell(.localReport(id, event: event, final: final))
            case .local(.failed(let id, let reason)):
                // A local handler cannot fail but by a mistake in the program, which no retry mends.
                throw CoordinatorError(.program, "The local effect \(id) failed: \(reason)")
            case .outside(let request, let loop, let key, let event):
                try tell(.outside(request, loop, key: key, event: event))
            case .watch: break
            case .stop: try tell(.stop)
            }
        }
        models.settle(loop.model)
    }

    private func heard(_ report: JournalThread.Report, _ tell: (CoordinatorInput) throws -> Void) throws {
        switch report {
        case .committed(let tickets):
            // Shown before it is confirmed: a sender who watches sees what it sent.
            if let last = tickets.last { models.committed(last) }
            models.settle(loop.model)
            for ticket in tickets { try tell(.committed(ticket)) }
        case .saved(let bytes): snapshots.saved(bytes: bytes)
        case .failed(let error): throw error
        case .closed: hasEnded = true
        }
    }

    func apply(_ application: Application) throws -> CoordinatorInput {
        let change: Change<Program.Effect>
        do {
            change = try loop.apply(application.event)
        } catch {
            return .unreadable(application, reason: "\(error)")
        }
        models.applied(changed: change.changed)
        return .applied(application, effects: try loop.plan(change.effects))
    }

    func apply(_ failure: EffectFailure, of id: EffectID, effect: Payload) throws -> CoordinatorInput {
        guard let event = try loop.event(of: failure, effect: effect) else { return .failureUnheard(id) }
        return try apply(Application(loop: id.loop, source: .failure(id), event: event, ends: id, origin: .failure))
    }

    func append(
        _ ticket: Ticket, _ records: [JournalRecord], state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?
    ) throws -> Bool {
        models.appended(ticket, loop.model)
        switch journal {
        case .memory(let store):
            if !records.isEmpty { try store.commit(records) }
            models.committed(ticket)
            models.settle(loop.model)
            return true
        case .disk(let thread):
            thread.append(ticket, records)
            for record in records { snapshots.appended(bytes: record.payloadBytes) }
            if snapshots.isDue { snapshot(to: thread, state(loop.id)) }
            return false
        }
    }

    /// The model holds exactly what was appended so far, so a snapshot queued now stands right behind it.
    private func snapshot(to thread: JournalThread, _ state: (sequence: UInt64, pending: [PendingEffect])?) {
        snapshots.begin()
        guard let state else { return }
        let (id, model) = (loop.id, loop.model)
        thread.save { () throws(JournalError) in
            try LoopSnapshot(loop: id, model: model, sequence: state.sequence, pending: state.pending).encoded()
        }
    }

    func runLocal(_ id: AttemptID, _ effect: Payload) {
        locals.run([(id, effect)])
    }

    func answer(_ request: RequestID, _ result: Result<Void, CoordinatorError>) {
        requests.answer(request, result.mapError { $0 })
    }

    func stop(state: (LoopID) -> (sequence: UInt64, pending: [PendingEffect])?) {
        locals.cancelAll()
        switch journal {
        case .memory(let store):
            store.close()
            hasEnded = true
        case .disk(let thread):
            if snapshots.hasNews { snapshot(to: thread, state(loop.id)) }
            thread.close()
        }
    }
}
