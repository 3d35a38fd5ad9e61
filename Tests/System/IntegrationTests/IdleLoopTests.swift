import FleetTestSupport
import Greeter
import MobiusClient
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Loops that leave the memory of a real coordinator, which is killed meanwhile.
@Suite(.patient)
struct IdleLoopTests {
    private let folder: TestFolder
    private let client: FleetClient

    init() throws {
        folder = try TestFolder()
        client = FleetClient(connect: "ipc://" + folder.file("s") + "-client")
    }

    private func coordinator(_ idleAfter: String = "300ms", failpoints: String? = nil) async throws -> TestProcess {
        var environment: [String: String] = [:]
        if let failpoints { environment["MOBIUS_FAILPOINTS"] = failpoints }
        let coordinator = try TestProcess(
            "greeter-coordinator",
            ["--bind", "ipc://\(folder.file("s"))", "--journal", folder.file("journal"), "--idle-after", idleAfter],
            environment: environment, in: folder.path)
        try await coordinator.errors.wait(for: "the socket") { $0.contains { $0.contains("listening") } }
        return coordinator
    }

    private func guest(_ number: Int) -> LoopID { LoopID("guest/\(100_000 + number)") ?? .main }

    private func greet(_ loops: Range<Int>, as name: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { [client] group in
            for sender in 0..<200 {
                group.addTask {
                    for number in stride(from: loops.lowerBound + sender, to: loops.upperBound, by: 200) {
                        try await client.send(
                            Greeter.Event.greeted(name), loop: guest(number), key: name, timeout: Patience.limit)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func idleLoops() throws -> UInt64 {
        let inspector = try JournalInspector(path: folder.file("journal"))
        defer { inspector.close() }
        return try inspector.idleTotals().loops
    }

    @Test func onlyLoopsWithEffectsAreReadAtTheStart() async throws {
        let count = 20_000
        var coordinator = try await coordinator()
        let busy = try #require(LoopID("busy"))
        try await client.send(Greeter.Event.guestArrived("Eve"), loop: busy, key: "eve")
        try await greet(0..<count, as: "Ada")
        try await eventually("all loops are idle") { try idleLoops() == UInt64(count) }
        try await coordinator.kill()
        coordinator = try await self.coordinator()
        let ready = try #require(coordinator.errors.elements.first { $0.contains("loops ready") })
        #expect(ready.contains("loops=2") && ready.contains("idle=\(count)") && ready.contains("pending=1"), "\(ready)")
        let status = try await client.status()
        #expect(status.loopCount == UInt64(count) + 2 && status.loops.count == 2)
        // Events, known keys, requests for models, histories and lists, and an unknown name.
        try await greet(0..<300, as: "Ada")
        try await greet(200..<500, as: "Grace")
        for number in [0, 250, 499, 7000] {
            let loop = guest(number)
            let greeted = (200..<500).contains(number) ? ["Ada", "Grace"] : ["Ada"]
            #expect(try await client.model(of: Greeter.self, loop: loop).greeted == greeted)
            #expect(try await client.history(of: loop).entries.count == greeted.count + 1)
        }
        let page = try await client.loops(prefix: "guest/", after: guest(248), limit: 3)
        #expect(page.loops.map(\.loop) == [guest(249), guest(250), guest(251)])
        #expect(page.loops.map(\.sequence) == [2, 2, 2] && page.next == guest(251))
        let nobody = try #require(LoopID("nobody"))
        let none = await #expect(throws: FleetClientError.self) {
            _ = try await client.model(of: nobody)
        }
        #expect(none?.code == .notFound)
        try await eventually("they are idle again") { try idleLoops() == UInt64(count) }
        try await coordinator.kill()
        let verification = try TestProcess(
            "greeter-coordinator", ["--journal", folder.file("journal"), "--verify"], in: folder.path)
        #expect(try await verification.end() == .exited(0), "\(verification.errors.elements)")
    }

    @Test(
        "SIGKILL while a loop leaves memory loses nothing",
        arguments: ["coordinator.before-parking", "coordinator.after-parking"])
    func killedWhileLeaving(_ place: String) async throws {
        for count in 1...3 {
            let coordinator = try await coordinator("30ms", failpoints: "\(place)=kill@\(count)")
            // A loop for each event, and each leaves soon.
            let first = count * 10_000
            var last = first
            while last - first < 2000 {
                let sent = try? await client.send(
                    Greeter.Event.greeted("Ada"), loop: guest(last), key: "Ada", timeout: .seconds(2))
                guard sent != nil else { break }
                last += 1
            }
            #expect(try await coordinator.end() == .signalled(SIGKILL))
            let next = try await self.coordinator("30ms")
            for number in first...last {
                try await client.send(Greeter.Event.greeted("Ada"), loop: guest(number), key: "Ada")
                #expect(try await client.model(of: Greeter.self, loop: guest(number)).greeted == ["Ada"])
            }
            try await next.kill()
        }
    }
}
