public import Logging
import MobiusCodec
public import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusJournalSQLite
import MobiusProcess
public import MobiusProgram
import MobiusRuntime
import MobiusTransport
package import MobiusWire
public import ServiceLifecycle

/// The coordinator of a fleet: it holds the models, runs `update`, writes the journal and dispatches effects.
///
/// ```swift
/// let settings = CoordinatorSettings(
///     name: "greeter", bind: "tcp://127.0.0.1:5701", journal: .file("greeter.journal"))
/// let coordinator = Coordinator<Greeter>(settings, routes: routes)
/// try await coordinator.run()  // or as one service of a ServiceGroup
/// ```
/// A ``CoordinatorCommand`` makes one; make one yourself to embed it in a process. It runs a socket thread, a journal
/// thread and the threads of local handlers. It does no work on the caller's threads.
public final class Coordinator<Program: LoopProgram>: Service {
    /// A handle to the loop `main`, for code in this process; use ``LoopHandle/loop(_:)-(LoopID)`` for other loops.
    public let loop: LoopHandle<Program>

    let settings: CoordinatorSettings
    /// The shards of its journal: one, unless several processes share it.
    let contexts: ShardContexts<Program>
    let logger: Logger
    let onListening: @Sendable (String) -> Void
    let telemetry: Telemetry
    /// The leases of a cluster, once it is joined.
    let keeper = JoinedCluster()
    /// The way to loops that other processes of the cluster run.
    let relay = ClusterRelay()
    private let functions: any ProgramFunctions<Program>
    private let watchers = LoopWatchers<Program.Model>()
    private let call = AuthenticationSignal()
    private let gauges: FleetGauges?

    /// Makes a coordinator; ``run()`` starts it.
    ///
    /// - Parameters:
    ///   - settings: Its endpoints, journal, limits and timeouts.
    ///   - routes: Exactly one route for each effect: `toWorkers`, or a handler in this process. Plain handlers in this
    ///     process run one at a time, in the order of their effects, on a dedicated thread. Async ones run
    ///     concurrently.
    ///   - logger: The logger; lines at `info` are rare.
    ///   - onListening: Called once, on the socket thread, with the endpoint that workers can connect to.
    public convenience init(
        _ settings: CoordinatorSettings, routes: EffectRouter<Program.Effect, Program.Event>,
        logger: Logger = Logger(label: "coordinator"), onListening: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(settings, SingleProgram<Program>(routes), logger: logger, onListening: onListening)
    }

    init(
        _ settings: CoordinatorSettings, _ functions: any ProgramFunctions<Program>, logger: Logger,
        onListening: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.settings = settings
        self.functions = functions
        self.logger = logger
        self.onListening = onListening
        let telemetry = Telemetry(http: settings.http, logger: logger)
        self.telemetry = telemetry
        let contexts = ShardContexts<Program> { [isShared = settings.isClustered] in
            ShardContext($0, isShared: isShared, hasViews: telemetry.factory != nil)
        }
        self.contexts = contexts
        gauges = telemetry.factory.map { [keeper] factory in
            FleetGauges(
                { contexts.all.compactMap(\.views) }, factory, owned: { contexts.all.count { $0.terms.isOurs } },
                shards: { max(1, keeper.current?.view.count ?? 1) },
                leaseLeft: { keeper.current?.trustLeft })
        }
        loop = LoopHandle(
            id: .main,
            setting: .init(
                models: { [watchers] loop in
                    let stream = watchers.watchers(of: loop).stream()
                    contexts.context(of: loop).currentMailbox.post(.watch(loop))
                    return stream
                },
                send: { [relay] in
                    contexts.context(of: $0).send($2, to: $0, key: $1, traceparent: $3, by: relay, $4)
                }, encode: { event, loop throws(CodingFailure) in try functions.encode(event: event, for: loop) }))
    }

    /// Runs until ``stop()``, cancellation or a graceful shutdown; call it once.
    ///
    /// When it returns, all applied events are on disk, up to 100 loops with new events have a snapshot, and a goodbye
    /// was sent to the workers.
    ///
    /// - Throws: `JournalError` when the journal cannot be opened, read or written; ``CoordinatorError``.
    public func run() async throws {
        let stopped = CoordinatorError(.stopped, "The coordinator has stopped.")
        defer {
            contexts.close(stopped)
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

    /// Requests a graceful shutdown and returns at once; may be called from any thread, any number of times.
    public func stop() {
        telemetry.vitals.stops()
        for context in contexts.all { context.currentMailbox.post(.stop) }
        keeper.current?.leave()
    }

    /// Reloads the allow-list now; may be called from any thread, any number of times.
    ///
    /// Without this call, a change is loaded within a second.
    public func reloadKeys() {
        call.reload()
    }

    /// Runs `work`, and meanwhile serves or pushes telemetry if it is enabled.
    private func showing(_ work: () async throws -> Void) async throws {
        let pushing = telemetry.pushes ? Task.detached { [gauges] in await gauges?.refreshPeriodically() } : nil
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
            thread.start { [self] in
                continuation.resume(with: Result { try runEdge() })
            }
        }
        await thread.finished()
    }

    private func runEdge() throws {
        let security = EdgeSecurity(
            keys: settings.keys, connections: settings.maximumConnections,
            reserved: settings.http == nil ? 128 : 128 + ProbeServer.connections, call: call)
        try security.check([settings.bind] + (settings.clientBind.map { [$0] } ?? []))
        if settings.isClustered { return try runCluster(security) }
        let store = try settings.openJournal()
        if let disk = store as? SQLiteJournal, let name = disk.networkFileSystem {
            logger.warning("journal on a network file system", metadata: ["fileSystem": "\(name)"])
        }
        let (context, vitals) = (contexts.context(0), telemetry.vitals)
        _ = try serve(
            store, of: context, on: context.currentMailbox.mailbox, security, bind: settings.bind,
            clientBind: settings.clientBind,
            beat: { vitals.beat(at: $0.nanoseconds) }, permit: nil
        ) { [self] endpoint, clients in
            logger.info("listening", metadata: ["endpoint": "\(endpoint)", "clients": "\(clients ?? "none")"])
            let announcement = clients.flatMap { announce($0) }
            telemetry.vitals.serves(true)
            onListening(endpoint)
            return announcement
        }
    }

    /// Runs the loops of a journal until they are asked to stop, and closes it.
    ///
    /// - Parameters:
    ///   - beat: Called in each round of the socket thread.
    ///   - permit: See ``CoordinatorDriver``.
    ///   - possibleHolders: The workers that may hold effects of the journal, when no others do.
    ///   - cluster: The view of the other shards; `nil` when it has all loops.
    ///   - onListening: Called once, with the endpoints for workers and for clients; what it returns is kept until the end.
    /// - Returns: the workers that hold effects then, when no others do.
    func serve(
        _ store: any JournalStore, of context: ShardContext<Program>, on mailbox: Mailbox<DurableHost<Program>.Input>,
        _ security: EdgeSecurity, bind: String, clientBind: String?, beat: @escaping (Moment) -> Void,
        permit: (() throws -> Void)?, possibleHolders: [Incarnation]? = nil, demand: (([LimitDemand]) -> Void)? = nil,
        outranked: ((UInt64) -> Void)? = nil, cluster: ClusterPart? = nil,
        onListening: (_ endpoint: String, _ clients: String?) throws -> (any Sendable)?
    ) throws -> [Incarnation]? {
        let background = BackgroundThread(name: "models")
        let queries = queryThread("queries", of: context.shard, pinsSnapshot: false)
        let past = queryThread("past", of: context.shard, pinsSnapshot: true)
        let sandbox = settings.runsErrands ? ProgramProcess() : nil
        defer {
            background.close()
            queries?.close()
            past?.close()
            sandbox?.close()
        }
        let (setting, start): (DurableHost<Program>.Dependencies, JournalRecovery<Program>)
        do {
            (setting, start) = try prepare(
                store, context, mailbox, cluster, background: background, queries: queries, past: past, sandbox: sandbox
            )
        } catch {
            store.close()
            throw error
        }
        start.log(to: logger, epoch: store.epoch)
        defer {
            // First: what ends with its effects must not be taken for an end of its own.
            if permit != nil { context.terms.end() }
            setting.locals.cancelAll()
        }
        do {
            let machine = SharedMachine(
                configuration(of: store, setting, cluster, context, sharesLimits: demand != nil), now: .current)
            let host = DurableHost(setting, start, machine)
            let edge = try CoordinatorEdge(
                bind: bind, clients: clientBind, clientHost: host, security: security, machine, host: host,
                wakeUp: mailbox.wakeUp, log: CoordinatorLog(logger: logger),
                telemetry: EdgeTelemetry(
                    beat: beat,
                    metrics: telemetry.factory.map { CoordinatorMetrics($0, setting.preparer.calls.loopKinds) },
                    views: context.views),
                permit: permit, shardSlices: cluster?.shardSlices, demand: demand, outranked: outranked,
                context: Context())
            let driver = edge.driver
            try driver.tell(.wallClock(.current))
            if let possibleHolders { try driver.tell(.possibleHolders(possibleHolders)) }
            for input in start.inputs { try driver.tell(input) }
            let kept = try onListening(try edge.endpoint, try edge.clientEndpoint)
            defer { withExtendedLifetime(kept) {} }
            try edge.run()
            // In a cluster the end of a connection says as much, and the next owner waits.
            if permit == nil { try edge.waitForReaders() }
            return driver.machine.holders
        } catch {
            setting.queries.close()
            _ = setting.journal.close()  // so that the next coordinator can open it
            throw error
        }
    }

    private func configuration(
        of store: any JournalStore, _ setting: DurableHost<Program>.Dependencies, _ cluster: ClusterPart?,
        _ context: ShardContext<Program>, sharesLimits: Bool
    ) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration(
            journal: store.identity, epoch: store.epoch, timing: settings.sessionTiming,
            maximumPayload: settings.payloadLimit, batchBytes: 16 << 10,
            maximumIntake: settings.maximumIntake, maximumBacklog: settings.maximumBacklog,
            seed: UInt64.random(in: 0...UInt64.max))
        configuration.takesTraces = true
        (configuration.shard, configuration.shards) = (context.shard, cluster?.shards ?? 1)
        configuration.sharesLimits = sharesLimits
        configuration.keepEnded = settings.keepEnded
        configuration.idleAfter =
            setting.journal.keepsSnapshots ? settings.idleAfter.map { max($0, .milliseconds(10)) } : nil
        configuration.maximumLoops = settings.maximumLoops
        configuration.kinds = setting.preparer.calls.loopKinds
        configuration.contentType = setting.preparer.calls.effectContentType
        configuration.effectTypes = setting.preparer.calls.effectTypes
        return configuration
    }

    /// Lets this user's `mobius` find the coordinator; without a folder for that, commands must be given its endpoint.
    func announce(_ endpoint: String) -> RunningCoordinators.Announcement? {
        guard settings.announces else { return nil }
        let announcement = RunningCoordinators.announce(program: settings.name, endpoint: endpoint)
        if announcement == nil { logger.debug("not announced to this user's commands") }
        return announcement
    }

    /// Recovers all loops from the journal; on an error, the caller must close the store.
    private func prepare(
        _ store: any JournalStore, _ context: ShardContext<Program>, _ mailbox: Mailbox<DurableHost<Program>.Input>,
        _ cluster: ClusterPart?, background: BackgroundThread, queries: QueryThread?, past: QueryThread?,
        sandbox: ProgramProcess?
    ) throws -> (DurableHost<Program>.Dependencies, JournalRecovery<Program>) {
        let build = BuildIdentity.current
        var breadcrumbs: BreadcrumbFile?
        switch settings.journal {
        case .none: break
        case .file(let path):
            breadcrumbs = try BreadcrumbFile(beside: path, journal: store.identity, epoch: store.epoch, build: build)
        case .url: breadcrumbs = breadcrumbsHere(store, build)
        }
        let preparer = LoopRecovery<Program>(ProgramCalls(functions), build: build, logger: logger)
        let start = try JournalRecovery(
            store, preparer, breadcrumbs, limits: settings.journalLimits,
            hasMain: cluster?.shardSlices.contains(.main) ?? true)
        let journal: any JournalWriter =
            switch settings.journal {
            case .none: MemoryJournalWriter(store)
            case .file, .url:
                JournalThread(store, metrics: telemetry.factory.map { CommitMetrics($0) }, newest: context.newest) {
                    mailbox.post(.journal($0))
                }
            }
        // One thread: plain local handlers run one at a time in the order of their effects, as in a Mobius loop.
        let thread = HandlerThreads(name: "local", limit: 1, start: DetachedThread.start(named:_:))
        let locals = EffectRunner(functions, threads: thread, limits: SendLimits()) { mailbox.post(.local($0)) }
        let status = FleetStatus(
            program: settings.name, build: build, journal: store.identity, epoch: store.epoch, started: .current,
            maximumPayload: settings.payloadLimit)
        let setting = DurableHost<Program>.Dependencies(
            preparer: preparer, post: { mailbox.post($0) }, drain: { mailbox.drain(into: &$0) },
            senders: context.requests, journal: journal, locals: locals,
            watchers: watchers, breadcrumbs: breadcrumbs, status: status,
            loopsBegin: settings.clientsMayStartLoops, background: background.run,
            queries: queries ?? MemoryJournalQueries(store), past: past, sandbox: sandbox,
            crossShardSender: cluster?.crossShardSender)
        return (setting, start)
    }
}

extension Coordinator where Program == Programs {
    /// Makes a coordinator of several programs; ``run()`` starts it.
    ///
    /// Its loops are found by their programs: see ``LoopHandle/loops(_:)``. For the rest see
    /// ``init(_:routes:logger:onListening:)``.
    public convenience init(
        _ settings: CoordinatorSettings, programs: Programs, logger: Logger = Logger(label: "coordinator"),
        onListening: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(settings, SeveralPrograms(programs), logger: logger, onListening: onListening)
    }
}

extension Coordinator {
    /// The file of breadcrumbs of a journal that is no file, in the working directory; without one, an event that ends the
    /// process is not known at the next start.
    private func breadcrumbsHere(_ store: any JournalStore, _ build: String) -> BreadcrumbFile? {
        do throws(JournalError) {
            let name = "\(settings.name)-\(store.identity)"
            return try BreadcrumbFile(beside: name, journal: store.identity, epoch: store.epoch, build: build)
        } catch {
            logger.warning(
                "no breadcrumbs: an event that ends this process will not be known",
                metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// Reads the journal beside its writer; `nil` for one in memory.
    private func queryThread(_ name: String, of shard: UInt32, pinsSnapshot: Bool) -> QueryThread? {
        guard let open = settings.journalReader(of: shard, pinsSnapshot: pinsSnapshot) else { return nil }
        let isFile = if case .file = settings.journal { true } else { false }
        return QueryThread(name: name, isKept: !pinsSnapshot, waits: isFile && !pinsSnapshot, open: open)
    }
}

// MARK: - Held loops

extension Coordinator {
    /// The held loops of this process; suspends until the coordinator runs.
    package var held: [HeldLoop] {
        get async {
            var held: [HeldLoop] = []
            for context in contexts.all {
                held += await withCheckedContinuation { continuation in
                    guard !context.currentMailbox.post(.listHeld { continuation.resume(returning: $0) }) else { return }
                    continuation.resume(returning: [])
                }
            }
            return held
        }
    }

    /// Releases a held loop: the event that holds it is tried again, or dropped.
    ///
    /// - Throws: ``CoordinatorError``.
    package func release(_ loop: LoopID, drop: Bool = false) async throws {
        let context = contexts.context(of: loop)
        _ = try await withCheckedThrowingContinuation { continuation in
            guard let request = context.requests.open(continuation) else { return }
            guard !context.currentMailbox.post(.release(request, loop, drop: drop)) else { return }
            context.requests.answer(request, .moved(endpoint: nil))
        }
    }
}
