import ArgumentParser
import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusProcess
import MobiusWire

/// The command `mobius cluster`.
struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Makes and shows the shards of a journal in PostgreSQL, and says which coordinator runs which.",
        discussion: """
            The coordinators of a cluster share the shards of a journal: each loop is in one shard, and each shard is run by \
            one coordinator at a time. The commands talk to the database only, so they work while no coordinator runs.

            Examples:
              mobius cluster init 'postgresql://fleet@db.example.org/fleet' --shards 8
              mobius cluster status 'postgresql://fleet@db.example.org/fleet'
              mobius cluster move 'postgresql://fleet@db.example.org/fleet' 3 host2:4711
              mobius cluster drain 'postgresql://fleet@db.example.org/fleet' host2:4711
              mobius cluster split 'postgresql://fleet@db.example.org/fleet' 3
            """,
        subcommands: [
            ClusterInit.self, ClusterStatus.self, ClusterMove.self, ClusterDrain.self, ClusterSplit.self,
        ])

    #if PostgreSQL
        /// Opens a cluster; a `JournalError` becomes a message and an exit code.
        static func withCluster(_ url: String, _ body: (PostgreSQLCluster) throws -> Void) async throws {
            try await JournalCommand.reporting {
                try requireURL(url)
                try body(try PostgreSQLCluster(url: url))
            }
        }

        /// The process that a person means, by its name or its id.
        static func process(_ named: String, of cluster: PostgreSQLCluster) throws -> ClusterMember {
            let members = try cluster.members()
            let found = members.filter { $0.name == named || $0.process.description == named }
            if found.count == 1, let member = found.first { return member }
            let names = members.prefix(10).map { TerminalText.line($0.name) }.joined(separator: ", ")
            let problem =
                found.isEmpty
                ? "No coordinator of this cluster is named \(TerminalText.line(named))"
                : "\(found.count) coordinators are named so: use the id that mobius cluster status shows"
            throw FleetExit(.usage, "\(problem). These are there: \(names.isEmpty ? "none" : names).")
        }
    #endif

    /// Fails for anything but a URL of PostgreSQL, or in a build without it.
    static func requireURL(_ url: String) throws {
        guard let scheme = JournalOpener.scheme(of: url) else {
            throw FleetExit(.usage, "A journal in a file has one coordinator: a cluster needs a postgresql:// URL.")
        }
        try JournalPlace.require(scheme)
        #if !PostgreSQL
            throw JournalError.withoutPostgreSQL(JournalPlace.shown(url))
        #endif
    }
}

/// The command `mobius cluster init URL`.
struct ClusterInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Makes an empty journal of several shards in PostgreSQL.",
        discussion: """
            The number of shards bounds how many coordinators can work at once. Each shard costs its coordinator a few \
            threads and two connections: twice as many shards as there will be coordinators is a good number.

            Where there is a journal of so many shards already, it changes nothing.

            Exit codes: 0; 73 when the database's user may not make them; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The URL of a database of PostgreSQL 12 or newer.")
    var url: String

    @Option(help: "How many shards: 1 to \(ClusterMap.maximumShards).")
    var shards: Int

    @OptionGroup var outcome: OutcomeOptions

    func validate() throws {
        guard 1...ClusterMap.maximumShards ~= shards else {
            throw ValidationError("--shards must be from 1 to \(ClusterMap.maximumShards).")
        }
    }

    func run() async throws {
        try await JournalCommand.reporting {
            try ClusterCommand.requireURL(url)
            #if PostgreSQL
                let done = try PostgreSQLSchema.prepare(url: url, shards: shards)
                let has = try PostgreSQLCluster(url: url).shards().count
                let shown = TerminalText.line(JournalPlace.shown(url))
                guard has == shards else {
                    throw FleetExit(
                        .usage,
                        "\(shown) has a journal of \(has) shard\(has == 1 ? "" : "s") already: name another schema with "
                            + "?schema=NAME for a new one.")
                }
                let sentence =
                    done == .made
                    ? "\(shown) has an empty journal of \(shards) shards"
                    : "\(shown) has a journal of \(shards) shards already"
                outcome.show(sentence) { line in
                    line.set("made", done == .made)
                    line.set("shards", shards)
                }
            #endif
        }
    }
}

/// The command `mobius cluster status URL`.
struct ClusterStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows which coordinator runs which shard, and which coordinators are there.",
        discussion: "Exit codes: 0; \(JournalCommand.exitCodes)")

    @Argument(help: "The journal's URL.")
    var url: String

    @Flag(help: "One JSON object instead of tables.")
    var json = false

    func run() async throws {
        #if PostgreSQL
            try await ClusterCommand.withCluster(url) { cluster in
                let (shards, members) = (try cluster.shards(), try cluster.members())
                if json { return print(Self.line(shards, members).text) }
                var table = Table(
                    "SHARD", "SLICES", "LEASE", "EPOCH", .name("RUN BY"), .name("WANTED BY"), "WORKERS AT")
                for shard in shards {
                    let lease = shard.lease.flatMap { $0.remaining > .zero ? $0 : nil }
                    table.add(
                        "\(shard.shard)", "\(shard.slices.count)",
                        lease.map { Times.span(milliseconds: UInt64($0.remaining / .milliseconds(1))) } ?? "-",
                        "\(shard.epoch)", lease?.holder.name ?? "nobody",
                        shard.wanted.map { wanted in
                            members.first { $0.process == wanted }?.name ?? wanted.description
                        } ?? "-",
                        lease?.holder.workers ?? "-")
                }
                table.print()
                guard !members.isEmpty else { return print("No coordinator is there.") }
                var list = Table(.name("COORDINATOR"), "SHARDS", "STATE", "ID")
                for member in members {
                    list.add(
                        member.name, "\(Self.count(of: member, shards))", member.state, member.process.description)
                }
                list.print()
            }
        #else
            try await JournalCommand.reporting { try ClusterCommand.requireURL(url) }
        #endif
    }

    private static func count(of member: ClusterMember, _ shards: [ShardState]) -> Int {
        shards.count { ($0.lease.map { $0.remaining > .zero ? $0.holder.process : nil } ?? nil) == member.process }
    }

    private static func line(_ shards: [ShardState], _ members: [ClusterMember]) -> JSONLine {
        var line = JSONLine()
        line.set(
            "shards",
            shards.map { shard in
                var line = JSONLine()
                line.set("shard", UInt64(shard.shard))
                line.set("slices", shard.slices.count)
                line.set("epoch", shard.epoch)
                if let lease = shard.lease, lease.remaining > .zero {
                    line.set("runBy", lease.holder.name)
                    line.set("process", lease.holder.process.description)
                    line.set("workers", lease.holder.workers)
                    line.set("clients", lease.holder.clients)
                    line.set("leaseMilliseconds", Int(lease.remaining / .milliseconds(1)))
                }
                line.set("wantedBy", shard.wanted?.description)
                return line
            })
        line.set(
            "coordinators",
            members.map { member in
                var line = JSONLine()
                line.set("name", member.name)
                line.set("process", member.process.description)
                line.set("shards", count(of: member, shards))
                line.set("state", member.state)
                return line
            })
        return line
    }
}

extension ClusterMember {
    fileprivate var state: String {
        if isGuest { return "changes a shard" }
        return isDraining ? "draining" : isReady ? "ready" : "after a failure"
    }
}
