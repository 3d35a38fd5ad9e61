import ArgumentParser
import Foundation
import MobiusClient
import MobiusLauncher
import MobiusProcess

/// The command `mobius status`.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the state of the coordinator, its loops, pools and workers.",
        discussion: """
            EVENTS is the number of a loop's last event. WAITING effects wait for a worker with room, or for their \
            next attempt; OLDEST is the age of the oldest that waits or runs; CREDIT is how many more the workers \
            would take now. A worker that serves several pools shows its credit in each. LAST HEARD is the time since \
            a worker's last message; a worker sends one every second.

            Without --connect and --fleet, and without MOBIUS_CONNECT_CLIENT, it uses the only fleet of mobius up on \
            this machine, if there is exactly one.

            With --watch it prints it again each second until Ctrl-C, and also shows the processes that mobius up runs \
            here: WORKERS 2/3 means that two of three have joined, RESTARTS is how often they were restarted, ~2 is \
            the second run of a process. PENDING effects include those that run. With --json it prints one object per \
            line instead.

            A worker that ended too often is given up by mobius up: it is listed at the end, and as given up with \
            --watch. 'mobius scale' starts it anew.

            Exit codes: 0, also when a loop is held or no worker is there; 130 when Ctrl-C ended --watch; \
            \(ClientOptions.exitCodes)

            Examples:
              mobius status
              mobius status --watch
              mobius status --json | jq '.pools[] | select(.workers == 0) | .pool'
            """)

    @Option(
        help: ArgumentHelp(
            "The most loops, pools and workers to show, of each (default: 20, and 5 held loops).", valueName: "count"))
    var limit: Int?

    @Flag(help: "One JSON object instead of lines, with up to 1,000 of each.")
    var json = false

    @Flag(help: "Show it repeatedly.")
    var watch = false

    @Option(help: ArgumentHelp("With --watch: the interval.", valueName: "time"))
    var every = DurationArgument(.seconds(1))

    @OptionGroup var width: WidthOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit must be at least 1.") }
        guard every.duration >= .milliseconds(100) else { throw ValidationError("--every must be at least 100ms.") }
    }

    func run() async throws {
        try await options.withClient(hasTerminalView: watch) { client, _ in
            if watch {
                let watch = StatusWatch(client: client, interval: every.duration, json: json)
                return try await watch.run()
            }
            let status = try await client.status()
            let givenUp = Self.givenUp(at: client.endpoint)
            if json {
                var line = JSONLine(status)
                if !givenUp.isEmpty { line.set("givenUp", givenUp) }
                return print(line.text)
            }
            for line in StatusText(status, width: width.width, limit: limit, givenUp: givenUp).lines { print(line) }
        }
    }

    /// The workers that the `mobius up` of a coordinator has given up; none when it does not run on this machine.
    private static func givenUp(at endpoint: String) -> [String] {
        let control = FleetFinder(environment: ProcessInfo.processInfo.environment).control(ofClients: endpoint)
        let reply = try? control?.ask(ControlRequest(command: .processes), patience: .seconds(2))
        return (reply?.processes ?? []).filter { $0.state == "given up" }.map(\.name)
    }
}
