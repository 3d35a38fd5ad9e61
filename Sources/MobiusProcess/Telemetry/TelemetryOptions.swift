package import ArgumentParser

/// The option `--http`, which coordinators and workers have.
package struct TelemetryOptions: ParsableArguments {
    /// The address as given on the command line; nil when absent.
    @Option(
        name: .customLong("http"),
        help: ArgumentHelp(
            """
            Serve /livez, /readyz and /metrics there; a port alone means loopback (default: MOBIUS_HTTP, or off).
            """,
            valueName: "address"))
    package var commandLineHTTP: String?

    /// Made by ArgumentParser.
    package init() {}

    /// Rejects an invalid address before the command runs.
    package func validate() throws {
        _ = try http()
    }

    /// The address in force; nil for none.
    package func http() throws -> String? {
        guard let text = try FleetEnvironment.value(commandLineHTTP, "MOBIUS_HTTP") else { return nil }
        guard let address = HTTPAddress(text) else {
            throw ValidationError(
                "--http is '\(text)', but must be a port or address:port, such as 9464, 127.0.0.1:9464 or [::]:9464.")
        }
        return "\(address)"
    }
}
