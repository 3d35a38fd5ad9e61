import ArgumentParser
import MobiusClient
import MobiusLauncher
import MobiusProcess
import MobiusWire

/// The command `mobius pools`.
struct Pools: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pauses a pool, or resumes it.",
        discussion: """
            A paused pool gets no new attempts. What runs goes on, and timers, time-outs and cancellations do, too. It stays paused \
            over restarts and take-overs, until it is resumed. `mobius status` shows the pools, and which of them are paused.

            Examples:
              mobius pools pause mailers --why "the provider is down"
              mobius pools resume mailers
            """,
        subcommands: [PoolsPause.self, PoolsResume.self])
}

/// What the commands for one pool have in common.
struct PoolOptions: ParsableArguments {
    @Argument(help: "The pool.")
    var pool: String

    @OptionGroup var outcome: OutcomeOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    /// Prints what became of the pool.
    func show(_ words: String, at target: FleetFinder.Target) {
        outcome.show("\(TerminalText.line(pool)) \(words), at \(target.label)") { line in
            line.set("pool", pool)
            line.set("outcome", words)
            line.set("target", target.label)
        }
    }

    static let exitCodes = "Exit codes: 0 when it is so, and on disk; \(ClientOptions.exitCodes)"
}

/// The command `mobius pools pause POOL --why TEXT`.
struct PoolsPause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Lets nothing new start in a pool.",
        discussion: """
            A pool that is paused stays as it is, with its first reason. Any name is taken, because effects may go there later; there is a \
            note when no worker serves the pool and no effect waits for it.

            \(PoolOptions.exitCodes)
            """)

    @OptionGroup var pool: PoolOptions

    @Option(help: ArgumentHelp("The reason, which is shown with who asked.", valueName: "text"))
    var why: String

    func run() async throws {
        try await pool.options.withClient { client, target in
            let isNew = try await client.pausePool(pool.pool, why: why) == .done
            pool.show(isNew ? "paused" : "is paused already", at: target)
            // It is paused, also when what follows gets no answer.
            guard let status = try? await client.status(), !status.uses(pool.pool) else { return }
            let name = TerminalText.line(pool.pool)
            StandardError.write("No worker and no effect that waits names the pool \(name): check its spelling.\n")
        }
    }
}

/// The command `mobius pools resume POOL`.
struct PoolsResume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Lets a paused pool go on.",
        discussion: """
            A pool that is not paused is an error, also when the answer to a first request of the command was lost.

            \(PoolOptions.exitCodes)
            """)

    @OptionGroup var pool: PoolOptions

    func run() async throws {
        try await pool.options.withClient { client, target in
            guard try await client.resumePool(pool.pool) == .done else {
                throw FleetExit(
                    .negativeAnswer, "The pool \(TerminalText.line(pool.pool)) is not paused, at \(target.label).")
            }
            pool.show("resumed", at: target)
        }
    }
}

extension FleetStatus {
    /// Whether a worker serves the pool, or an effect is pending there.
    fileprivate func uses(_ pool: String) -> Bool {
        pools.contains { $0.pool == pool && ($0.workers > 0 || $0.waiting > 0 || $0.running > 0) }
    }
}
