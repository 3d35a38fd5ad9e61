public import Logging
public import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusJournalSQLite
import MobiusProgram
import MobiusRuntime
import MobiusTelemetry
import MobiusTransport
package import MobiusWire
public import ServiceLifecycle
import ZeroMQ

/// The coordinating process of a fleet: it holds the model, runs `update`, writes the journal and hands out effects.
///
/// A ``CoordinatorCommand`` makes one; make one yourself to embed it. It runs a socket thread, a journal thread and the
/// threads of local handlers; nothing of it runs on the caller's.
public final class Coordinator<Program: LoopProgram>: Service {
    /// The loop `main`, for code in this process; it leads to all others.
    public let loop: LoopHandle<Program>

    private let settings: CoordinatorSettings
    private let routes: EffectRouter<Program.Effect, Program.Event>
    private let mailbox = Mailbox<DurableHost<Program>.Input>()
    private let requests = Requests()
    private let watchers = LoopWatchers<Program.Model>()
    private let logger: Logger
    private let onListening: @Sendable (String) -> Void
    private let call = DoorCall()
    private let door = EdgeDoor()
    private let telemetry: Telemetry
    private let views: FleetViews?
    private let gauges: FleetGauges?

    /// Describes a coordinator that does not run yet.
    ///
    /// - Parameters:
    ///   - settings: Where it listens, where its journal is, and how long it waits.
    ///   - routes: Exactly one route for each effect: `toWorkers`, or a handler in this process. Plain handlers in this
    ///     process run one at a time, in the order of their effects, on a thread of their own; async ones side by side.
    ///   - logger: What it logs with: at `info` only what is rare.
    ///   - onListening: Called once, on the socket thread, with the endpoint that workers can connect to.
    public init(
        _ settings: CoordinatorSettings, routes: EffectRouter<Program.Effect, Program.Event>,
        logger: Logger = Logger(label: "coordinator"), onListening: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.settings = settings
        self.routes = routes
        self.logger = logger
        self.onListening = onListening
        let telemetry = Telemetry(http: settings.http, logger: logger)
        let views = telemetry.factory == nil ? nil : FleetViews(mailbox.wakeUp)
        self.telemetry = telemetry
        self.views = views
        gauges = telemetry.factory.flatMap { factory in views.map { FleetGauges($0, factory) } }
        loop = LoopHandle(
            id: .main,
            setting: .init(
                requests: requests, watchers: watchers, watch: { [mailbox] in mailbox.post(.watch($0)) },
                post: { [mailbox] request, loop, key, event in mailbox.post(.outside(request, loop, key: key, event)) })
        )
    }

    /// Runs until ``stop()`` or a graceful shutdown; once only.
    ///
    /// Then everything that was applied is on disk, with a snapshot, and the workers know.
    ///
    /// - Throws: `JournalError` when the journal cannot be opened, read or written; ``CoordinatorError``.
    public func run() async throws {
        let stopped = CoordinatorError(.stopped, "The coordinator has stopped.")
        defer {
            requests.close(stopped)
            watchers.finish()
        }
        try await withGracefulShutdownHandler {
            try await withTaskCancellationHandler {
                try await showing { try await runOnSocketThread() }
            } onCancel: {
                stop()
            }
        } onGracefulShutdown: {
            self.stop()
        }
    }

    /// Asks it to stop orderly; from any thread, any number of times.
    public func stop() {
        telemetry.vitals.stops()
        mailbox.post(.stop)
    }

    /// Reads the allow-list again now, instead of within a second after it has changed; from any thread, any number of times.
    public func reloadKeys() {
        call.look()
    }

    /// Does the work and shows meanwhile how it goes, to whoever wants to see it.
    private func showing(_ work: () async throws -> Void) async throws {
        let pushing = telemetry.pushes ? Task.detached { [gauges] in await gauges?.refreshAgainAndAgain() } : nil
        defer { pushing?.cancel() }
        do {
            try await telemetry.showing(refresh: { [gauges] in await gauges?.refresh() }, work)
        } catch let error as ProbeServerError {
            throw CoordinatorError(.endpoint, error.description, underlying: error)
        }
    }

    private func runOnSocketThread() async throws {
        let thread = SocketThread(name: "coordinator")
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            thread.start { [self] _ in
                continuation.resume(with: Result { try runEdge() })
            }
        }
        await thread.finished()
    }

    private func runEdge() throws {
        let security = EdgeSecurity(keys: settings.keys, connections: settings.maximumConnections, call: call)
        try security.check([settings.bind] + (settings.clientBind.map { [$0] } ?? []))
        let store = try settings.openJournal()
        if let disk = store as? SQLiteJournal, let name = disk.networkFileSystem {
            logger.warning("journal on a network file system", metadata: ["fileSystem": "\(name)"])
        }
        let (setting, start): (DurableHost<Program>.Setting, HostStart<Program>)
        do {
            (setting, start) = try prepare(store)
        } catch {
            store.close()
            throw error
        }
        start.log(to: logger, epoch: store.epoch)
        defer { setting.locals.cancelAll() }
        do {
            let host = DurableHost(setting, start)
            var configuration = CoordinatorConfiguration(
                journal: store.identity, epoch: store.epoch, timing: settings.timing,
                maximumPayload: settings.payloadLimit, batchBytes: 16 << 10,
                maximumIntake: settings.maximumIntake, maximumBacklog: settings.maximumBacklog,
                seed: UInt64.random(in: 0...UInt64.max))
            configuration.takesTraces = true
            configuration.contentType = setting.preparer.codings.effects.kind.contentType
            let edge = try CoordinatorEdge(
                bind: settings.bind, clients: settings.clientBind.map { ($0, host) }, security: security, configuration,
                host: host, wakeUp: mailbox.wakeUp, log: CoordinatorLog(logger: logger),
                telemetry: EdgeTelemetry(
                    vitals: telemetry.vitals, metrics: telemetry.factory.map { CoordinatorMetrics($0) }, views: views),
                context: Context())
            let driver = edge.driver
            host.takesEvents = { [unowned driver] in driver.takesEvents }
            door.open(to: edge)
            defer { door.close() }
            try driver.tell(.wallClock(.current))
            for input in start.inputs { try driver.tell(input) }
            let endpoint = try edge.endpoint
            let clients = try edge.clientEndpoint ?? "none"
            logger.info("listening", metadata: ["endpoint": "\(endpoint)", "clients": "\(clients)"])
            telemetry.vitals.serves(true)
            onListening(endpoint)
            try edge.run()
            try edge.waitForReaders()
        } catch {
            _ = setting.journal.close()  // for the next coordinator
            throw error
        }
    }

    /// Reads all loops back from the journal, which is not closed when it fails.
    private func prepare(_ store: any JournalStore) throws -> (DurableHost<Program>.Setting, HostStart<Program>) {
        let build = BuildIdentity.current
        var breadcrumbs: BreadcrumbFile?
        if case .file(let path) = settings.journal {
            breadcrumbs = try BreadcrumbFile(beside: path, journal: store.identity, epoch: store.epoch, build: build)
        }
        let preparer = LoopPreparer<Program>(
            routes: routes, codings: ProgramCodings(), build: build, logger: logger)
        let start = try HostStart(store, preparer, breadcrumbs, limits: settings.journalLimits)
        let journal: any JournalWriter =
            switch settings.journal {
            case .none: MemoryJournalWriter(store)
            case .file:
                JournalThread(store, metrics: telemetry.factory.map { CommitMetrics($0) }) {
                    [mailbox, door] report, isLast in
                    mailbox.put(.journal(report))
                    if !isLast || !door.stepIn() { mailbox.wakeUp.signal() }
                }
            }
        // One thread, so that plain local handlers run one at a time in the order of their effects, as in a Mobius loop.
        let locals = EffectRunner(routes, threads: HandlerThreads(name: "local", limit: 1), limits: SendLimits()) {
            [mailbox] in
            mailbox.post(.local($0))
        }
        let status = FleetStatus(
            program: settings.name, build: build, journal: store.identity, epoch: store.epoch, started: .current,
            maximumPayload: settings.payloadLimit)
        let setting = DurableHost<Program>.Setting(
            preparer: preparer, post: { [mailbox] in mailbox.post($0) }, take: { [mailbox] in mailbox.take(into: &$0) },
            senders: requests, journal: journal, locals: locals,
            watchers: watchers, breadcrumbs: breadcrumbs, status: status,
            loopsBegin: settings.loopsBeginByThemselves)
        return (setting, start)
    }
}

// MARK: - Held loops

extension Coordinator {
    /// The loops that are held; waits until the coordinator runs.
    package var held: [HeldLoop] {
        get async {
            await withCheckedContinuation { continuation in
                mailbox.post(.listHeld { continuation.resume(returning: $0) })
            }
        }
    }

    /// Lets a held loop go on: its event is tried again, or dropped.
    ///
    /// - Throws: ``CoordinatorError``.
    package func release(_ loop: LoopID, drop: Bool = false) async throws {
        try await withCheckedThrowingContinuation { continuation in
            guard let request = requests.open(continuation) else { return }
            mailbox.post(.release(request, loop, drop: drop))
        }
    }
}
