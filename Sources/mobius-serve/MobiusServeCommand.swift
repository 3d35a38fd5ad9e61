import ArgumentParser
import MobiusLauncher
import MobiusProcess

#if HTTP
    import Logging
    import MobiusClient
    import MobiusHTTP
    import MobiusTransport
    import MobiusWire
    import ServiceLifecycle
#endif

/// The command `mobius serve`, which `mobius` runs this executable for.
@main
struct MobiusServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mobius serve",
        abstract: "Serves the loops of a fleet over HTTP, and shows them in a browser.",
        discussion: """
            It is a client of the coordinators, as `mobius send` is one: it holds no loop, may be killed at any time, and any \
            number of them may serve the same fleet, on any host. Open its address in a browser to see the fleet; \
            `GET /openapi.json` describes what it serves to programs; /livez, /readyz and /metrics are there, too.

            Without keys it listens at loopback addresses only, and what the program masks is masked unless \
            --unmasked is given. With a key (--key-file; the right 'serve' is enough) each request needs a token of \
            `mobius keys token`, whose rights the coordinator decides: the page 'Loops over HTTP' has all of it.

            Exit codes: 64 wrong usage; 69 it cannot listen there; 78 an address that other hosts reach needs keys, as a \
            coordinator on another host does.

            Examples:
              mobius serve --listen 8080
              mobius serve --connect tcp://10.0.0.2:5702 --key-file serve.key --listen 0.0.0.0:8080
            """,
        version: FleetVersion.current)

    @Option(
        help: ArgumentHelp(
            "Where to listen: a port, of loopback, or address:port (default: MOBIUS_LISTEN, or 127.0.0.1:8080).",
            valueName: "address"))
    var listen: String?

    @Flag(help: "Without keys: show also what the program masks.")
    var unmasked = false

    @OptionGroup var client: ClientOptions
    @OptionGroup var logging: LoggingOptions

    static func main() async {
        StandardOutput.checkAtExit()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "view" {
            await ViewCommand.main(Array(arguments.dropFirst()))
        } else {
            await main(arguments)
        }
    }

    func run() async throws {
        #if HTTP
            try await FleetExit.reporting { try await serve() }
        #else
            throw Self.noServer.report()
        #endif
    }

    static var noServer: FleetExit {
        FleetExit(
            .unavailable,
            "This build of mobius-serve has no HTTP server: build it with 'Deploy/build --traits HTTP --product mobius-serve'."
        )
    }
}

#if HTTP
    extension MobiusServeCommand {
        private func serve() async throws {
            let text = try FleetEnvironment.value(listen, "MOBIUS_LISTEN") ?? "127.0.0.1:8080"
            let address = try Self.address(text)
            let logger = try logging.bootstrap(label: "mobius-serve")
            let target = try client.target(waits: true)
            let key = try client.key(for: target.endpoint)
            guard key != nil || EndpointScope(of: "tcp://\(address)") == .thisMachine else {
                throw FleetExit(
                    .configuration,
                    "Other hosts can reach \(address), and without keys loops are served to this machine only: start the coordinators "
                        + "with --keys, and this with --key-file; or listen at 127.0.0.1.")
            }
            let fleet = FleetClient(
                connect: target.endpoint, key: key, timeout: client.timeout.duration,
                maximumPayload: Int(PayloadLimit.range.upperBound), logger: logger)
            let loops = FleetLoops(fleet, access: key == nil ? .thisMachine(isUnmasked: unmasked) : .tokens)
            let server = HTTPServer(address, loops, FleetProbes(fleet).probes, logger: logger)
            logger.info("asks", metadata: ["endpoint": "\(target.endpoint)", "tokens": "\(key != nil)"])
            defer { withExtendedLifetime(fleet) {} }
            try await Self.serve(server, logger)
            await fleet.close()
        }

        static func address(_ text: String) throws -> HTTPAddress {
            guard let address = HTTPAddress(text) else {
                throw FleetExit(
                    .usage,
                    "--listen is '\(text)', but must be a port or address:port, such as 8080, 127.0.0.1:8080 or [::]:8080."
                )
            }
            return address
        }

        /// Serves until a signal ends the process.
        static func serve(_ server: HTTPServer, _ logger: Logger) async throws {
            do {
                try await FleetServices.run([Serving(server: server)], logger: logger)
            } catch let error as ListenFailure {
                throw FleetExit(.unavailable, error.description)
            }
        }
    }

    /// A server until it is shut down.
    private struct Serving: Service {
        let server: HTTPServer

        func run() async throws {
            try await server.serving { try? await gracefulShutdown() }
        }
    }
#endif
