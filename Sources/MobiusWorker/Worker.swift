public import Logging
public import MobiusCore
import MobiusEngine
import MobiusProcess
public import MobiusProgram
import MobiusRuntime
import MobiusTransport
import MobiusWire
public import ServiceLifecycle

/// A worker process of a fleet: it runs effect handlers for a coordinator and answers with events.
///
/// A ``WorkerCommand`` creates one; create one yourself to embed a worker in another program. It connects as soon as
/// the coordinator is available, and reconnects after any loss. Reports are kept until then.
///
/// A socket thread communicates with the coordinator. Synchronous handlers run on other threads, at most `concurrency`
/// at once, and async handlers in tasks. While synchronous handlers take only microseconds, they run on the socket
/// thread; if one blocks it, another thread becomes the socket thread.
public final class Worker<Effect: Codable & Sendable, Event: Codable & Sendable>: Service {
    private let settings: WorkerSettings
    private let routers: [ErasedRouter]
    private let logger: Logger
    private let mailbox = Mailbox<WorkerEdge.Input>()
    private let telemetry: Telemetry

    /// Creates a worker, which does nothing until ``run()``.
    ///
    /// - Parameters:
    ///   - settings: The pools, the coordinator and the limits.
    ///   - handler: Exactly one route for each effect that the pools receive. Synchronous handlers may block.
    ///   - logger: The logger for all log lines. The default has the label `worker`.
    public convenience init(
        _ settings: WorkerSettings, handler: EffectRouter<Effect, Event>, logger: Logger = Logger(label: "worker")
    ) {
        self.init(settings, [ErasedRouter(handler)], logger)
    }

    init(_ settings: WorkerSettings, _ routers: [ErasedRouter], _ logger: Logger) {
        self.settings = settings
        self.routers = routers
        self.logger = logger
        telemetry = Telemetry(http: settings.http, logger: logger)
    }

    /// Runs until ``drain()``, a graceful shutdown or a cancellation of the task, and then until its effects are
    /// finished.
    ///
    /// Effects that are not finished within the settings' `drainTimeout` are cancelled and run elsewhere. Their
    /// handlers get up to a second to stop. Call this method only once.
    ///
    /// - Throws: ``WorkerError`` if an endpoint can never work or needs a key, or if the coordinator does not admit the
    ///   worker.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await withTaskCancellationHandler {
                try await servingTelemetry { try await runOnSocketThread() }
            } onCancel: {
                drain()
            }
        } onGracefulShutdown: {
            self.drain()
        }
    }

    /// Starts to drain: the worker takes no more effects, finishes those it has, and leaves.
    ///
    /// It returns at once. Call it from any thread, any number of times.
    public func drain() {
        telemetry.vitals.stops()
        mailbox.post(.drain(after: settings.drainTimeout))
    }

    /// Serves probes and metrics over HTTP while `work` runs, if the settings have an address for them.
    private func servingTelemetry(_ work: () async throws -> Void) async throws {
        do {
            // No refresh, because the gauges of a worker are always up to date.
            try await telemetry.showing(refresh: {}, work)
        } catch let error as ProbeServerError {
            throw WorkerError(.endpoint, error.description)
        }
    }

    private func runOnSocketThread() async throws {
        let exit = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<WorkerExit, any Error>) in
            SocketThread(name: "worker").start { [self] in
                do {
                    IOThreadHandoff(edge: try makeEdge()) { continuation.resume(with: $0) }.begin()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        switch exit {
        case .drained: break
        case .gaveUp(let attempts):
            logger.warning("some effects were not finished in time", metadata: ["attempts": "\(attempts)"])
        case .rejected: break  // the edge throws why
        }
    }

    private func makeEdge() throws -> WorkerEdge {
        let endpoints = EndpointRotation.endpoints(in: settings.connect)
        if let problem = EndpointRotation.problem(in: endpoints) { throw WorkerError(.endpoint, "\(problem).") }
        do throws(KeyError) {
            for endpoint in endpoints {
                try EndpointScope.check(toConnect: endpoint, hasKey: settings.key != nil)
            }
        } catch {
            throw WorkerError(.unprotected, error.message)
        }
        let threads = HandlerThreads(
            name: "handler", limit: settings.concurrency, start: DetachedThread.start(named:_:))
        let limits = SendLimits(
            events: settings.maximumUnacknowledged, bytes: settings.maximumUnacknowledgedBytes)
        let handlers = EffectRunner(routers, threads: threads, runsInline: true, limits: limits) {
            [mailbox] (outcome: consuming HandlerOutcome) in mailbox.post(.handler(consume outcome))
        }
        var random = SystemRandomNumberGenerator()
        var configuration = WorkerConfiguration(
            incarnation: .random(using: &random), pools: settings.pools, build: settings.build,
            contentTypes: handlers.contentTypes, capacity: settings.concurrency, timing: settings.timing,
            seed: random.next(), name: settings.name, endpoints: endpoints)
        configuration.effectTypes = ErasedRouter.effectTypes(of: routers)
        return WorkerEdge(
            key: settings.key, configuration: configuration, mailbox: mailbox,
            handlers: handlers, threads: threads,
            telemetry: WorkerTelemetry(
                log: WorkerLog(logger: logger), vitals: telemetry.vitals,
                metrics: telemetry.factory.map { WorkerMetrics($0, pools: settings.pools) }))
    }
}

extension Worker where Effect == ErasedValue, Event == ErasedValue {
    /// Creates a worker with the handlers of several programs; for the rest see ``init(_:handler:logger:)``.
    public convenience init(
        _ settings: WorkerSettings, handlers: Handlers, logger: Logger = Logger(label: "worker")
    ) {
        self.init(settings, handlers.routers, logger)
    }
}
