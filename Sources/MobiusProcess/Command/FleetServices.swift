public import Logging
public import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the services of a fleet executable from start to graceful shutdown.
public enum FleetServices {
    /// Runs all services until the first SIGTERM or SIGINT, or until one of them returns or throws.
    ///
    /// Then the others are shut down gracefully, one after the other, the last of the list first; a service that returns
    /// before its turn simply waits for it. A second signal ends the process at once, without any clean-up, with exit code
    /// 128 + the signal's number (130, 143).
    ///
    /// - Parameters:
    ///   - services: In order of dependency: services that others need come first.
    ///   - logger: For the life cycle's own lines (all at `debug`).
    ///   - shutdownLimit: After this long in graceful shutdown the remaining services are cancelled; nil: no limit.
    /// - Throws: The first error of a service, after the others have stopped.
    public static func run(
        _ services: [any Service], logger: Logger, shutdownLimit: Duration? = nil
    ) async throws {
        try await run(services, logger: logger, shutdownLimit: shutdownLimit) { _ in }
    }

    /// The same, and calls `onSignal` with the signal that stops the services.
    package static func run(
        _ services: [any Service], logger: Logger, shutdownLimit: Duration? = nil,
        onSignal: @escaping @Sendable (Int32) -> Void
    ) async throws {
        let group = OrderlyGroup(services, logger: logger, shutdownLimit: shutdownLimit)
        let watch = SignalWatch([SIGTERM, SIGINT]) { signal, count in
            guard count == 1 else {
                // Nothing may delay a second signal: no atexit handlers, no flushing, no locks.
                _exit(128 + signal)
            }
            onSignal(signal)
            logger.debug("Signal caught, stopping", metadata: ["signal": "\(signal)"])
            group.stop()
        }
        defer { withExtendedLifetime(watch) {} }
        try await group.run()
    }
}
