import ArgumentParser
import MobiusClient
import MobiusCommand

/// The command `mobius status`.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows how the coordinator, its loops, pools and workers are.",
        discussion: """
            EVENTS is the number of a loop's last event. WAITING effects wait for a worker with room, or for their next \
            attempt; OLDEST is the age of the oldest that waits or runs; CREDIT is how many more the workers would take now. \
            A worker that serves several pools shows its credit in each. LAST HEARD is how long a worker has been silent: \
            it says something every second.

            Exit codes: 0, also when a loop is held or no worker is there; \(ClientOptions.exitCodes)

            Examples:
              mobius status
              mobius status --json | jq '.pools[] | select(.workers == 0) | .pool'
            """)

    @Option(help: ArgumentHelp("How many loops, pools and workers are shown, at most, of each.", valueName: "count"))
    var limit = 20

    @Flag(help: "One JSON object instead of lines, with up to 1,000 of each.")
    var json = false

    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        try await options.withClient { client in
            let status = try await client.status()
            if json { return print(status.jsonLine.text) }
            for line in StatusText(status, width: Table.screenWidth, limit: limit).lines { print(line) }
        }
    }
}

extension FleetStatus {
    /// All of it in one object.
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("program", program)
        line.set("build", build)
        line.set("journal", "\(journal)")
        line.set("epoch", epoch)
        line.set("started", started)
        line.set("maximumPayload", maximumPayload)
        line.set("pendingEffects", pending)
        line.set("deadLetters", letters)
        line.set("loopCount", loopCount)
        line.set("loops", loops.map(\.jsonLine))
        line.set("pools", pools.map(\.jsonLine))
        line.set("workers", workers.map(\.jsonLine))
        return line
    }
}

extension LoopStatus {
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("loop", loop.name)
        line.set("lastSequence", sequence)
        line.set("pendingEffects", pending)
        line.set("isHeld", isHeld)
        return line
    }
}

extension PoolStatus {
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("pool", pool)
        line.set("workers", workers)
        line.set("waiting", waiting)
        line.set("running", running)
        line.set("oldestMilliseconds", oldest)
        line.set("credit", credit)
        return line
    }
}

extension WorkerStatus {
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("worker", "\(incarnation)")
        line.set("pools", pools)
        line.set("build", build)
        line.set("running", running)
        line.set("credit", free)
        line.set("silenceMilliseconds", silence)
        line.set("isDraining", isDraining)
        return line
    }
}
