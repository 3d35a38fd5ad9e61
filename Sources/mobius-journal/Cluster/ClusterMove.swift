import ArgumentParser
import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusProcess
import MobiusWire

/// The command `mobius cluster move URL SHARD COORDINATOR`.
struct ClusterMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Gives a shard to a coordinator, as long as that is there.",
        discussion: """
            The coordinator that runs the shard hands it over within seconds, also when the other one then has more than its \
            share. Without a coordinator's name, the shard may be run by any again.

            Exit codes: 0; 64 when there is no such shard or coordinator, too; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The journal's URL.")
    var url: String

    @Argument(help: "The shard's number.")
    var shard: UInt32

    @Argument(help: "The coordinator, by its name or id in mobius cluster status.")
    var coordinator: String?

    @OptionGroup var outcome: OutcomeOptions

    func run() async throws {
        #if PostgreSQL
            try await ClusterCommand.withCluster(url) { cluster in
                let member = try coordinator.map { try ClusterCommand.process($0, of: cluster) }
                let shards = try cluster.shards()
                guard try cluster.want(shard, member?.process) else {
                    throw FleetExit(.usage, "There is no shard \(shard): the shards are 0 to \(shards.count - 1).")
                }
                let name = member.map { TerminalText.line($0.name) } ?? "any coordinator"
                outcome.show("Shard \(shard) goes to \(name)") { line in
                    line.set("shard", UInt64(shard))
                    line.set("coordinator", member?.name)
                }
            }
        #else
            try await JournalCommand.reporting { try ClusterCommand.requireURL(url) }
        #endif
    }
}

/// The command `mobius cluster drain URL COORDINATOR`.
struct ClusterDrain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain", abstract: "Has a coordinator hand over all its shards, and get no more.",
        discussion: """
            It hands over one shard after the other, within seconds, and goes on to stand by; it keeps them when no other \
            coordinator is there. --undo ends that.

            Exit codes: 0; 64 when there is no such coordinator, too; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The journal's URL.")
    var url: String

    @Argument(help: "The coordinator, by its name or id in mobius cluster status.")
    var coordinator: String

    @Flag(help: "Let it get shards again.")
    var undo = false

    @OptionGroup var outcome: OutcomeOptions

    func run() async throws {
        #if PostgreSQL
            try await ClusterCommand.withCluster(url) { cluster in
                let member = try ClusterCommand.process(coordinator, of: cluster)
                let name = TerminalText.line(member.name)
                guard try cluster.drain(member.process, !undo) else {
                    throw FleetExit(.usage, "The coordinator \(name) has just left.")
                }
                outcome.show(undo ? "\(name) may get shards again" : "\(name) hands over its shards") { line in
                    line.set("coordinator", member.name)
                    line.set("isDraining", !undo)
                }
            }
        #else
            try await JournalCommand.reporting { try ClusterCommand.requireURL(url) }
        #endif
    }
}
