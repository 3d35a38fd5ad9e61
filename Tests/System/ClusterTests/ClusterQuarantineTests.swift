#if PostgreSQL
    import Bank
    import BankFleet
    import FleetTestSupport
    import Foundation
    import MobiusClient
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// An event that ends each process that applies it, while another coordinator takes over.
    @Suite(
        "A cluster and an event that traps",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct ClusterQuarantineTests {
        @Test("after two or three traps every owner holds the loop; a mended build applies the event once")
        func held() async throws {
            let poison = ["BANK_POISON": "poison", "SWIFT_BACKTRACE": "enable=no"]
            let cluster = try await Self.cluster()
            var running: [String: TestProcess] = [:]
            for name in cluster.names {
                running[name] = try cluster.coordinator(name, ["--lease", "1s"], environment: poison)
            }
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            try await cluster.transfers(5, prefix: "before")

            let answers = Journey<String?>()
            let sending = Task { answers.add(await Self.refusal { try await cluster.transferOnce("poison") }) }
            var traps = 0
            while true {
                try await eventually("a trap, or the refusal") {
                    !answers.elements.isEmpty || running.values.contains { $0.isGone }
                }
                for (name, process) in running where process.isGone {
                    guard case .signalled = try await process.end() else {
                        Issue.record("\(name) did not trap: \(process.errors.elements.suffix(3))")
                        return
                    }
                    traps += 1
                    running[name] = try cluster.coordinator(name, ["--lease", "1s"], environment: poison)
                }
                if !answers.elements.isEmpty { break }
            }
            await sending.value
            #expect(answers.elements.first??.contains("held") == true)
            // A coordinator adds its own trap to the journal when it runs the loops again; two are enough.
            #expect((2...3).contains(traps))
            #expect(try await cluster.client.quarantine().elements.map(\.loop) == [.main])

            // The next owner holds it, too.
            var owner: TestProcess?
            try await eventually("an owner") {
                let holder = try await cluster.holder()
                owner = running.values.first { holder.hasSuffix(":\($0.pid)") }
                return owner != nil
            }
            try await owner?.kill()
            #expect(await Self.refusal { try await cluster.transferOnce("other") }?.contains("held") == true)
            #expect(running.values.count { $0.isGone } == 1)

            for process in running.values { try await process.kill() }
            let (mended, _) = try await cluster.pair(["--lease", "1s"])
            try await cluster.client.release(.main, timeout: .seconds(3600))
            try await cluster.transfer("poison")
            #expect(try await cluster.complaints() == [])
            #expect(!mended.isGone)
            withExtendedLifetime(worker) {}
        }

        /// Each coordinator has a working directory of its own, as on a host of its own.
        private static func cluster() async throws -> BankCluster {
            let bank = try BankProcesses()
            let folder = bank.folder
            for name in ["a", "b"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file("\(name)-host"), withIntermediateDirectories: false)
            }
            let place = BankCluster.Place(
                door: { "ipc://\(folder.file($0))" }, clientDoor: { "ipc://\(folder.file($0))-client" },
                on: { ["/usr/bin/env", "-C", folder.file("\($0)-host")] })
            return try await BankCluster("a", "b", server: .shared(), bank: bank, place: place)
        }

        /// The error of a request; `nil` when it succeeds.
        private static func refusal(_ ask: () async throws -> Void) async -> String? {
            do {
                try await ask()
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
#endif
