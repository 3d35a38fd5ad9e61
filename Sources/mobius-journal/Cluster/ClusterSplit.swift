import ArgumentParser
import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusProcess

/// The command `mobius cluster split URL SHARD`.
struct ClusterSplit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "split", abstract: "Divides a shard, so that more coordinators can work at once.",
        discussion: """
            A new shard gets the upper half of the shard's slices, with all their loops. Coordinators, workers and clients go on: \
            the shard is handed over, divided in one transaction, and both halves are taken by any coordinators. Until then, \
            requests for these loops wait; effects of the new shard's loops that workers have begun are begun again.

            Limits per key, and others without the scope .cluster, hold in each shard by itself: where such limits were used, the \
            split is refused with their names unless --grow-limits is given.

            All coordinators must be of this version. Killed in the middle, it has changed nothing.

            Exit codes: 0; 64 when there is no such shard, it has a single slice, or limits would grow, too; 75 when the shard was not handed \
            over in time, or the connection was lost at the very end, so that mobius cluster status must tell whether the new \
            shard is there; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The journal's URL.")
    var url: String

    @Argument(help: "The shard's number.")
    var shard: UInt32

    @Flag(help: "Although limits that hold in each shard by itself allow more in all then.")
    var growLimits = false

    @OptionGroup var outcome: OutcomeOptions

    func run() async throws {
        #if PostgreSQL
            try await ClusterCommand.withCluster(url) { cluster in
                guard let split = try cluster.split(shard, growsLimits: growLimits) else {
                    let count = try cluster.shards().count
                    throw FleetExit(.usage, "There is no shard \(shard): the shards are 0 to \(count - 1).")
                }
                let sentence =
                    "The new shard \(split.shard) has \(split.slices) slices of shard \(shard), with \(split.loops) loops"
                outcome.show(sentence) { line in
                    line.set("shard", UInt64(split.shard))
                    line.set("slices", split.slices)
                    line.set("loops", split.loops)
                }
            }
        #else
            try await JournalCommand.reporting { try ClusterCommand.requireURL(url) }
        #endif
    }
}
