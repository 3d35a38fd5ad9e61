import Hummingbird
import HummingbirdCore
import Logging
import MobiusTelemetry
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves `/livez`, `/readyz` and `/metrics` over HTTP.
///
/// It changes nothing and needs no authentication: it shows figures and names of pools to everyone who can reach its
/// address.
struct ProbeServer: Sendable {
    private let address: HTTPAddress
    private let probes: Probes
    private let logger: Logger

    /// Describes a server that does not run yet.
    init(_ address: HTTPAddress, _ probes: Probes, logger: Logger) {
        self.address = address
        self.probes = probes
        self.logger = logger
    }

    /// Runs `work` while the server runs.
    ///
    /// The work handles a graceful shutdown, so that probes are available to its end.
    ///
    /// - Throws: ``ProbeServerError`` when it cannot listen, before the work begins; otherwise what the work throws.
    func serving(_ work: () async throws -> Void) async throws {
        let (states, state) = AsyncStream.makeStream(of: Result<Int, any Error>.self)
        let services = services(application { state.yield(.success($0)) })
        // Not a child of this task: the shutdown must not end it.
        let server = Task.detached {
            do {
                try await services.run()
            } catch {
                state.yield(.failure(error))
            }
        }
        func stop() async {
            await services.triggerGracefulShutdown()
            await server.value
        }
        for await result in states {
            switch result {
            case .success(let port):
                logger.info("serving probes and metrics", metadata: ["address": "\(address.host)", "port": "\(port)"])
            case .failure(let error):
                await stop()
                throw ProbeServerError(address: "\(address)", underlying: error)
            }
            break
        }
        do {
            try await work()
        } catch {
            await stop()
            throw error
        }
        await stop()
    }

    /// One thread for the server.
    ///
    /// It exists until the process ends, because a stopped server still has work to finish.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// The maximum number of connections; further ones wait.
    private static let connections = 64

    private func services(_ application: any Service) -> ServiceGroup {
        var silent = logger
        silent.logLevel = .critical  // errors are thrown
        var configuration = ServiceGroupConfiguration(services: [application], logger: silent)
        // A response that is not read must not delay the shutdown.
        configuration.maximumGracefulShutdownDuration = .seconds(1)
        return ServiceGroup(configuration: configuration)
    }

    private func application(onListening: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)  // it would log each request
        return Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in await respond(to: request) },
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(
                address: .hostname(address.host, port: address.port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(Self.connections)),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            eventLoopGroupProvider: .shared(Self.group), logger: quiet)
    }

    private func respond(to request: Request) async -> Response {
        guard request.method == .get || request.method == .head else {
            return .text(.methodNotAllowed, "Only GET and HEAD.\n", headers: [.allow: "GET, HEAD"])
        }
        let response: Response
        switch request.uri.path {
        case "/livez": response = .probe(probes.vitals.livenessFailure())
        case "/readyz": response = .probe(probes.vitals.readinessFailure())
        case "/metrics": response = .text(.ok, await probes.metrics(), type: probes.metricsType)
        default: response = .text(.notFound, "There are /livez, /readyz and /metrics.\n")
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension Response {
    fileprivate static func probe(_ livenessFailure: String?) -> Response {
        livenessFailure.map { .text(.serviceUnavailable, "no: \($0)\n") } ?? .text(.ok, "ok\n")
    }

    fileprivate static func text(
        _ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8",
        headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
