#if PostgreSQL
    import FleetTestSupport
    import Foundation
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// The page about several coordinators is played on five network namespaces, with its own commands.
    @Suite(
        "The page about several coordinators",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)),
        .enabled(if: Hosts.isTested, "this user may not make network namespaces, which stand for the hosts"),
        .patient)
    struct ClusteringPageTests {
        @Test("shows what the commands do")
        func commands() async throws {
            let scene = try await Cluster()
            let count = try await scene.page.play("Clustering", scene.play)
            #expect(count >= 10)
        }
    }

    /// A database, two coordinators' hosts, a workers' and an operator's.
    private final class Cluster {
        let page: PageHosts
        private let server: PostgreSQLServer

        init() async throws {
            let names = ["db", "one", "two", "east", "desk"]
            let hosts = try await Hosts("db", "one", "two", "east", "desk")
            page = try PageHosts(hosts, names)
            server = try await PostgreSQLServer(at: hosts.address("db"), on: hosts.on("db"))
            try await server.sql("CREATE USER fleet SUPERUSER")
            try await server.sql("CREATE DATABASE shop OWNER fleet")
        }

        private func process(_ name: String) throws -> TestProcess { try #require(page.running[name]) }

        /// What the page says in words.
        func play(_ scene: String) async throws {
            switch scene {
            case "scene: the keys are brought to their hosts":
                try page.copy("one/keys", "two/keys")
                for host in ["east", "desk"] { try page.copy("one/keys/\(host).key", "\(host)/\(host).key") }
            case "scene: it runs the loops": try await process("one orders-coordinator").log("runs the loops")
            case "scene: all have met":
                try await process("two orders-coordinator").log("listening")
                for worker in ["stock", "payments", "shipping"] {
                    try await process("east \(worker)").log("joined the coordinator")
                }
            case "scene: one is cut off": try await page.hosts.cut("one")
            case "scene: two has stopped":
                try await page.hosts.mend("one")
                try await process("one orders-coordinator").log("the lease is lost")
                let two = try process("two orders-coordinator")
                two.signal(SIGTERM)
                #expect(try await two.end() == .exited(0))
            default: Issue.record("The page has a scene that nobody knows: \(scene)")
            }
        }
    }
#endif
