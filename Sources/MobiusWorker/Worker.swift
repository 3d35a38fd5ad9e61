public import Logging
public import MobiusCore
import MobiusEngine
import MobiusKeys
import MobiusRuntime
import MobiusTelemetry
import MobiusTransport
import MobiusWire
public import ServiceLifecycle
import ZeroMQ

/// A worker process of a fleet: it runs effect handlers for a coordinator and answers with events.
///
/// A ``WorkerCommand`` makes one; make one yourself to embed it. It connects by itself, whenever the coordinator comes
/// up, and again after any loss; reports wait meanwhile. A socket thread talks to the coordinator; plain handlers run on
/// other threads, at most `concurrency` at once, and async handlers in tasks. As long as plain handlers take microseconds they
/// run on the socket thread, and when one blocks it, another thread becomes the socket thread.
public final class Worker<Effect: Codable & Sendable, Event: Codable & Sendable>: Service {
    private let settings: WorkerSettings
    private let router: EffectRouter<Effect, Event>
    private let logger: Logger
    private let mailbox = Mailbox<WorkerEdge.Input>()
    private let telemetry: Telemetry

    /// Describes a worker that does not run yet.
    ///
    /// - Parameters:
    ///   - settings: Its pools, its coordinator and its limits.
    ///   - handler: Exactly one route for each effect that its pools receive. Plain handlers may block.
    ///   - logger: Takes what operators should know.
    public init(
        _ settings: WorkerSettings, handler: EffectRouter<Effect, Event>, logger: Logger = Logger(label: "worker")
    ) {
        self.settings = settings
        router = handler
        self.logger = logger
        telemetry = Telemetry(http: settings.http, logger: logger)
    }

    /// Runs until ``drain()`` or a graceful shutdown has let it finish what it held; once only.
    ///
    /// What is not finished within the settings' `drainTimeout` is cancelled and runs elsewhere; handlers get up to a second
    /// to see that.
    ///
    /// - Throws: ``WorkerError`` for an endpoint that can never work or needs a key, or when the coordinator does not admit it.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await withTaskCancellationHandler {
                try await showing { try await runOnSocketThread() }
            } onCancel: {
                drain()
            }
        } onGracefulShutdown: {
            self.drain()
        }
    }

    /// Asks it to take no more effects, finish what it holds and leave; from any thread, any number of times.
    public func drain() {
        telemetry.vitals.stops()
        mailbox.post(.drain(after: settings.drainTimeout))
    }

    /// Does the work and shows meanwhile how it goes, to whoever wants to see it.
    private func showing(_ work: () async throws -> Void) async throws {
        do {
            // Its gauges are always up to date.
            try await telemetry.showing(refresh: {}, work)
        } catch let error as ProbeServerError {
            throw WorkerError(.endpoint, error.description)
        }
    }

    private func runOnSocketThread() async throws {
        let exit = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<WorkerExit, any Error>) in
            SocketThread(name: "worker").start { [self] _ in
                do {
                    EdgeLead(edge: try makeEdge()) { continuation.resume(with: $0) }.begin()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        switch exit {
        case .drained: break
        case .gaveUp(let attempts):
            logger.warning("not all was finished in time", metadata: ["attempts": "\(attempts)"])
        case .rejected(let reason) where reason.hasPrefix(CoordinatorMessage.forbidden):
            let why = reason.dropFirst(CoordinatorMessage.forbidden.count)
            throw WorkerError(.forbidden, "The coordinator at \(settings.connect) does not admit this worker: \(why).")
        case .rejected(let reason):
            throw WorkerError(
                .rejected, "The coordinator at \(settings.connect) does not admit this worker: \(reason).")
        }
    }

    private func makeEdge() throws -> WorkerEdge {
        do throws(KeyError) {
            try Reach.check(toConnect: settings.connect, hasKey: settings.key != nil)
        } catch {
            throw WorkerError(.unprotected, error.message)
        }
        let threads = HandlerThreads(name: "handler", limit: settings.concurrency)
        let limits = SendLimits(
            events: settings.maximumUnacknowledged, bytes: settings.maximumUnacknowledgedBytes)
        let handlers = EffectRunner(router, threads: threads, isHelped: true, limits: limits) {
            [mailbox] (outcome: consuming HandlerOutcome) in mailbox.post(.handler(consume outcome))
        }
        var random = SystemRandomNumberGenerator()
        let configuration = WorkerConfiguration(
            incarnation: .random(using: &random), pools: settings.pools, build: settings.build,
            contentTypes: handlers.contentTypes, capacity: settings.concurrency, timing: settings.timing,
            seed: random.next(), name: settings.name)
        return WorkerEdge(
            endpoint: settings.connect, key: settings.key, configuration: configuration, mailbox: mailbox,
            handlers: handlers, threads: threads,
            telemetry: WorkerTelemetry(
                log: WorkerLog(logger: logger), vitals: telemetry.vitals,
                metrics: telemetry.factory.map { WorkerMetrics($0, pools: settings.pools) }))
    }
}
