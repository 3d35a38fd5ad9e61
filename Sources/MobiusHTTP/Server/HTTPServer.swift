#if HTTP
    import Hummingbird
    import HummingbirdCore
    package import Logging
    package import MobiusProcess
    import NIOCore
    import NIOPosix
    import ServiceLifecycle

    /// Serves the loops of a fleet over HTTP/1.1, on one thread, with `/livez`, `/readyz` and `/metrics` beside them.
    package struct HTTPServer: Sendable {
        private let address: HTTPAddress
        private let service: any LoopService
        private let probes: ServerProbes
        private let limits: HTTPLimits
        private let metrics: ServerMetrics
        private let logger: Logger

        /// Describes a server that does not run yet.
        package init(
            _ address: HTTPAddress, _ service: any LoopService, _ probes: ServerProbes,
            _ limits: HTTPLimits = HTTPLimits(), metrics: ServerMetrics = ServerMetrics(), logger: Logger
        ) {
            self.address = address
            self.service = service
            self.probes = probes
            self.limits = limits
            self.metrics = metrics
            self.logger = logger
        }

        /// Runs `work` while the server runs.
        ///
        /// - Throws: ``ListenFailure`` when it cannot listen, before the work begins; otherwise what the work throws.
        package func serving(_ work: () async throws -> Void) async throws {
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
                    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
                    logger.info(
                        "serving loops",
                        metadata: [
                            "address": "\(address.host)", "port": "\(port)", "dashboard": "http://\(host):\(port)/",
                        ])
                case .failure(let error):
                    await stop()
                    throw ListenFailure(address: "\(address)", underlying: error)
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
            let responses = ByteBudget(limits.responseBytes)
            let connections = ConnectionCap(limits, responses)
            let responder = FleetResponder(service, probes, connections, limits, responses, metrics)
            let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: HTTPLimits.headerField, maxHeaderListSize: HTTPLimits.headers,
                maxHeaderFieldCount: HTTPLimits.headerCount)
            return Application(
                responder: CallbackResponder<ChannelContext> { request, context in
                    await responder.respond(to: request, on: context.channel)
                },
                server: .http1(
                    configuration: .init(
                        additionalChannelHandlers: [connections.handler()], idleTimeout: TimeAmount(limits.idle),
                        httpDecoderConfiguration: decoder)),
                configuration: .init(
                    address: .hostname(address.host, port: address.port), serverName: nil,
                    // The cap closes idle connections for new ones; this only bounds a burst of them.
                    availableConnectionsDelegate: MaximumAvailableConnections(limits.connections + 64)),
                onServerRunning: { onListening($0.localAddress?.port ?? 0) },
                eventLoopGroupProvider: .shared(Self.group), logger: quiet)
        }
    }

    /// Nothing can be served at the address.
    package struct ListenFailure: Error, CustomStringConvertible {
        /// The fault, and the advice on what to do.
        package let description: String

        init(address: String, underlying: any Error) {
            description = "Cannot serve at \(address): \(underlying). Choose another address with --listen."
        }
    }

    /// A request's context: the connection that it came on.
    struct ChannelContext: RequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = .init(source: source)
            channel = source.channel
        }
    }
#endif
