#if HTTP
    import Hummingbird
    import HummingbirdCore
    import Logging
    import MobiusTelemetry
    import NIOCore
    import NIOPosix
    import ServiceLifecycle

    /// Serves over HTTP/1.1: `/livez`, `/readyz` and `/metrics` of every process, and the loops of a coordinator.
    struct HTTPServer: Sendable {
        private let address: HTTPAddress
        private let probes: Probes
        private let limits: HTTPLimits
        private let logger: Logger

        /// Describes a server that does not run yet.
        init(_ address: HTTPAddress, _ probes: Probes, _ limits: HTTPLimits, logger: Logger) {
            self.address = address
            self.probes = probes
            self.limits = limits
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
                    logger.info(
                        "serving probes and metrics", metadata: ["address": "\(address.host)", "port": "\(port)"])
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
            let connections = ConnectionCap(HTTPLimits.connections)
            let responder = FleetResponder(probes, connections, limits)
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
                    availableConnectionsDelegate: MaximumAvailableConnections(HTTPLimits.connections + 64)),
                onServerRunning: { onListening($0.localAddress?.port ?? 0) },
                eventLoopGroupProvider: .shared(Self.group), logger: quiet)
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
