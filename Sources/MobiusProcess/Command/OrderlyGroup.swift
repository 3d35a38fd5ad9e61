package import Logging
package import ServiceLifecycle

/// A service group that stops its services in order, even if one ends early.
///
/// `ServiceGroup` cancels everything when a service returns while another one is being stopped; here such a service
/// waits for its turn instead. It handles no signals; ``FleetServices/run(_:logger:shutdownLimit:)`` adds those.
package struct OrderlyGroup: Sendable {
    private let group: ServiceGroup
    private let stops: AsyncStream<Void>
    private let requestStop: AsyncStream<Void>.Continuation

    /// Makes a group; the last of the list stops first.
    package init(_ services: [any Service], logger: Logger, shutdownLimit: Duration? = nil) {
        let (stops, requestStop) = AsyncStream.makeStream(of: Void.self)
        self.stops = stops
        self.requestStop = requestStop
        var configuration = ServiceGroupConfiguration(
            services: services.map { service in
                .init(
                    service: PatientService(inner: service, requestStop: requestStop),
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup,
                    serviceName: "\(type(of: service))")
            },
            logger: logger)
        configuration.maximumGracefulShutdownDuration = shutdownLimit
        group = ServiceGroup(configuration: configuration)
    }

    /// Asks all services to stop; safe from any thread, at any time, any number of times.
    package func stop() {
        requestStop.yield()
    }

    /// Runs the services until all have ended; once per group.
    ///
    /// - Throws: The first error of a service.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [stops, group] in
                for await _ in stops {
                    await group.triggerGracefulShutdown()
                }
            }
            defer { requestStop.finish() }
            try await group.run()
        }
    }
}

/// Runs another service; when that returns, asks for the group's stop and waits for its own turn.
private struct PatientService: Service {
    let inner: any Service
    let requestStop: AsyncStream<Void>.Continuation

    func run() async throws {
        try await inner.run()
        requestStop.yield()
        // It throws if the group was cancelled instead: then there is no turn to wait for.
        try? await gracefulShutdown()
    }
}
