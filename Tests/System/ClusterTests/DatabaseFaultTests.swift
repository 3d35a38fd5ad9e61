#if PostgreSQL
    import Bank
    import BankFleet
    import FleetTestSupport
    import Foundation
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A cluster whose database is replaced by its replica, has no room, or disagrees about the time.
    @Suite(
        "A cluster and its database",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct DatabaseFaultTests {
        @Test(
            "the primary is lost and its synchronous replica promoted: the fleet goes on, and no confirmed event is lost"
        )
        func promotion() async throws {
            let primary = try await PostgreSQLServer()
            let replica = try await primary.replica("replica")
            try await primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'replica'")
            try await primary.sql("SELECT pg_reload_conf()")
            try await eventually("the replica is synchronous") {
                try await primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync"
            }
            let cluster = try await BankCluster("a", "b", server: primary, replica: replica)
            let (first, second) = try await cluster.pair(["--lease", "1s"])
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            async let placed: Void = cluster.transfers(60, prefix: "t")
            try await eventually("some transfers are booked") { try cluster.bank.ledger().count >= 30 }
            try await primary.kill()
            try await replica.promote()
            try await placed
            try await cluster.transfers(10, prefix: "after")
            #expect(try await cluster.complaints(in: replica) == [])
            #expect(!first.isGone && !second.isGone)
            #expect(try cluster.bank.ledger().allSatisfy { $0.asked == 1 })
            withExtendedLifetime(worker) {}
        }

        @Test(
            "the database's disk is full: nobody is told that anything is done, and all goes on when there is room",
            .enabled(if: SmallDisk.isPossible, "only root may mount a small disk"))
        func fullDisk() async throws {
            let disk = try await SmallDisk(megabytes: 64)
            let server = try await PostgreSQLServer(on: disk.wrapper, tables: disk.path)
            let cluster = try await BankCluster("a", "b", server: server)
            let (first, second) = try await cluster.pair(["--lease", "1s"])
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            try await cluster.transfers(10, prefix: "before")
            try await disk.fill()
            async let placed: Void = cluster.transfers(100, prefix: "during")
            try await eventually("a coordinator has no room") {
                first.logged("the loops are dropped") + second.logged("the loops are dropped") > 0
            }
            try await disk.makeRoom()
            try await placed
            try await cluster.transfers(10, prefix: "after")
            #expect(try await cluster.complaints() == [])
            #expect(!first.isGone && !second.isGone)
            withExtendedLifetime(worker) {}
        }

        @Test(
            "the clocks of the coordinators are two hours apart, and jump: leases and timers go by spans of time",
            .enabled(if: FaultLibrary.isPossible, "there is no C compiler, or no LD_PRELOAD"))
        func clocks() async throws {
            let bank = try BankProcesses()
            let library = try FaultLibrary(in: bank.folder)
            let folder = bank.folder
            @Sendable func clock(_ name: String) -> String { folder.file("\(name).clock") }
            func set(_ name: String, to seconds: Int) throws {
                try Data("\(seconds)\n".utf8).write(to: URL(fileURLWithPath: clock(name)), options: .atomic)
            }
            try set("a", to: 3600)
            try set("b", to: -3600)
            let place = BankCluster.Place(
                door: { "ipc://\(folder.file($0))" }, clientDoor: { "ipc://\(folder.file($0))-client" },
                on: { name in
                    ["/usr/bin/env", "-C", folder.path] + library.jumpingClock(clock(name)).map { "\($0)=\($1)" }
                })
            let cluster = try await BankCluster("a", "b", server: .shared(), bank: bank, place: place)
            let (first, second) = try await cluster.pair()
            let worker = try cluster.worker("w")
            try await cluster.openAccounts()
            try await cluster.transfers(10, prefix: "before")
            // A lease that is renewed is not taken, whatever the calendars say.
            try set("a", to: 7200)
            try set("b", to: 7200)
            try await cluster.transfers(20, prefix: "jumped")
            #expect(second.logged("runs the loops") == 0 && first.logged("runs the loops") == 1)
            for (owner, other, name) in [(first, second, "b"), (second, first, "a")] {
                let before = other.logged("runs the loops")
                owner.signal(SIGSTOP)
                try await cluster.owns(other, before + 1)
                try set(name, to: -7200)
                try await cluster.transfers(10, prefix: "of-\(name)")
                owner.signal(SIGCONT)
                try await owner.log("the lease is lost")
            }
            #expect(try await cluster.complaints() == [])
            #expect(try cluster.bank.ledger().allSatisfy { $0.asked == 1 })
            withExtendedLifetime(worker) {}
        }
    }

    /// A disk of a few megabytes, which only the processes of its `wrapper` see.
    private final class SmallDisk: Sendable {
        static let isPossible = getuid() == 0

        let path: String
        let wrapper: [String]
        private let folder: TestFolder
        private let holder: TestProcess

        init(megabytes: Int) async throws {
            folder = try TestFolder()
            path = folder.file("disk")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            // PostgreSQL runs as another user.
            chmod(folder.path, 0o755)
            holder = try TestProcess(
                "/usr/bin/unshare",
                [
                    "--mount", "--propagation", "private", "/bin/sh", "-ec",
                    "mount -t tmpfs -o size=\(megabytes)m,mode=777 tmpfs \(path); echo \"mounted $$\"; exec cat",
                ], input: .pipe)
            try await holder.output.wait(for: "the disk") { $0.contains { $0.hasPrefix("mounted ") } }
            let pid = holder.output.elements[0].split(separator: " ")[1]
            wrapper = ["/usr/bin/nsenter", "--mount=/proc/\(pid)/ns/mnt"]
        }

        /// Leaves no room on it.
        func fill() async throws {
            // It fails: that is what it is for.
            try await run("dd", "if=/dev/zero", "of=\(path)/filler", "bs=64k", "status=none")
        }

        func makeRoom() async throws {
            try #require(try await run("rm", "\(path)/filler") == .exited(0))
        }

        @discardableResult
        private func run(_ words: String...) async throws -> TestProcess.End {
            try await TestProcess(wrapper[0], Array(wrapper.dropFirst()) + ["/usr/bin/env"] + words).end()
        }
    }
#endif
