import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// Models, loops and histories of a running coordinator, as a user of the command line sees them.
@Suite(.patient)
struct ReadingTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// A coordinator that listens.
    private func coordinator() async throws -> TestProcess {
        let coordinator = try TestProcess(
            "greeter-coordinator", ["--bind", "ipc://\(folder.file("s"))", "--keep-history"], in: folder.path)
        try await coordinator.errors.wait(for: "the socket") { $0.contains { $0.contains("listening") } }
        return coordinator
    }

    private func start(_ arguments: String...) throws -> TestProcess {
        try TestProcess("mobius", arguments + ["--connect", "ipc://\(folder.file("s"))-client", "--timeout", "60s"])
    }

    @discardableResult
    private func run(_ process: TestProcess) async throws -> [String] {
        let end = try await process.end()
        #expect(end == .exited(0), "\(process.errors.elements)")
        return process.output.elements
    }

    private func greeted(_ guest: String) -> String { "{\"greeted\":{\"_0\":\"\(guest)\"}}" }

    @Test func aModelContainsWhatWasConfirmed() async throws {
        let coordinator = try await coordinator()
        try await run(start("send", greeted("Ada"), "--key", "ada"))
        let shown = try await run(start("model"))
        #expect(shown.prefix(2) == ["Loop:  main", "Event: 1"])
        #expect(shown.joined().contains("\"Ada\""))
        let json = try await run(start("model", "main", "--json"))
        #expect(json.count == 1)
        #expect(json[0].contains("\"loop\":\"main\",\"sequence\":1,"))
        #expect(json[0].hasSuffix("\"model\":{\"greeted\":[\"Ada\"],\"missed\":{}}}"), "\(json[0])")
        let missing = try start("model", "shop")
        #expect(try await missing.end() == .exited(1))
        #expect(missing.errors.elements.joined().contains("has no loop shop"))
        try await coordinator.kill()
    }

    @Test func theModelsOfAllLoopsOfAKindAreOneCommand() async throws {
        let coordinator = try await coordinator()
        let names = (1...600).map { "guest/\($0)" }
        let lines = names.map { #"{"loop":"\#($0)","key":"1","event":\#(greeted($0))}"# }
        let file = folder.file("events")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
        try await run(start("send", "--file", file, "--new"))
        let models = try await run(start("model", "--all", "guest/"))
        #expect(models.count == names.count)
        for name in names {
            let (loop, model) = (#""loop":"\#(name)","#, #""model":{"greeted":["\#(name)"]"#)
            #expect(models.count { $0.contains(loop) && $0.contains(model) } == 1, "\(name)")
        }
        #expect(try await run(start("model", "--all", "nobody/")) == [])
        #expect(try await run(start("model", "--all")).count == names.count + 1)  // and main
        try await coordinator.kill()
    }

    @Test func aWatchGoesOnWhenTheCoordinatorIsKilledAndStartedAgain() async throws {
        var coordinator = try await coordinator()
        let watch = try start("watch", "--json")
        try await watch.output.wait(for: "the first model") { !$0.isEmpty }
        try await run(start("send", greeted("Ada"), "--key", "ada"))
        try await watch.output.wait(for: "Ada") { $0.last?.contains("[\"Ada\"]") == true }
        try await coordinator.kill()
        coordinator = try await self.coordinator()
        try await run(start("send", greeted("Grace"), "--key", "grace"))
        try await watch.output.wait(for: "Grace") { $0.last?.contains("[\"Ada\",\"Grace\"]") == true }
        #expect(watch.output.elements.count == 3)  // none is told twice
        watch.signal(SIGINT)
        try await watch.end()
        let table = try await run(start("watch", "--count", "1"))
        #expect(table == ["#2  {\"greeted\":[\"Ada\",\"Grace\"],\"missed\":{}}"])
        try await coordinator.kill()
    }

    @Test func aKeyBelongsToOneEventAlsoOverARestart() async throws {
        var coordinator = try await coordinator()
        try await run(start("send", greeted("Ada"), "--key", "k"))
        for _ in 0..<2 {
            let again = try await run(start("send", " " + greeted("Ada"), "--key", "k"))
            #expect(again.first?.hasPrefix("already applied to") == true)
            let other = try start("send", greeted("Bob"), "--key", "k")
            #expect(try await other.end() == .exited(1))
            #expect(other.errors.elements.joined().contains("has applied another event under this key"))
            try await coordinator.kill()
            coordinator = try await self.coordinator()
        }
        #expect(try await run(start("watch", "--count", "1")) == ["#1  {\"greeted\":[\"Ada\"],\"missed\":{}}"])
        try await coordinator.kill()
    }

    @Test(arguments: ["watch", "watch --json", "status --watch --json", "status --watch"])
    func aCommandThatGoesOnEndsWhenItsOutputCannotBeWritten(_ words: String) async throws {
        let coordinator = try await coordinator()
        let line = "\(try TestProcess.executable("mobius").path) \(words) --connect ipc://\(folder.file("s"))-client"
        let full = try TestProcess("/bin/sh", ["-c", "exec \(line) > /dev/full"])
        #expect(try await full.end() == .exited(74))
        #expect(full.errors.elements.contains { $0.contains("Standard output cannot be written: No space left") })
        // Its reader wants no more, and its parent has it ignore the signal that would end it.
        let pipe = folder.file("pipe")
        let unread = try TestProcess(
            "/bin/sh",
            ["-c", "trap '' PIPE; mkfifo \(pipe); exec 3<>\(pipe) 4>\(pipe) 3<&-; exec \(line) >&4"])
        #expect(try await unread.end() == .exited(0), "\(unread.errors.elements)")
        try await coordinator.kill()
    }

    @Test func aHistoryTellsCausesAndWhatBecameOfEffects() async throws {
        let coordinator = try await coordinator()
        let worker = try TestProcess("greeter-worker", ["--connect", "ipc://\(folder.file("s"))"])
        try await run(start("send", "{\"guestArrived\":{\"_0\":\"Ada\"}}", "--key", "visit-1"))
        try await worker.output.wait(for: "Ada") { $0.contains("Hello, Ada!") }
        try await eventually("the greeting is reported") {
            try await run(start("model", "--json"))[0].contains("[\"Ada\"]")
        }
        let lines = try await run(start("history"))
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
        #expect(lines[0].hasSuffix("  #0  start"))
        #expect(lines[1].hasSuffix("  #1  key visit-1"))
        #expect(lines[2] == "  {\"guestArrived\":{\"_0\":\"Ada\"}}")
        #expect(lines[3] == "  -> main/1/0  {\"greet\":{\"_0\":\"Ada\"}}")
        #expect(lines[4].contains("  #2  report 1 of main/1/0@1.") && lines[4].hasSuffix(", its last"))
        let json = try await run(start("history", "--from", "1", "--to", "1", "--json"))
        #expect(json.count == 1)
        #expect(json[0].hasPrefix("{\"kind\":\"event\",\"loop\":\"main\",\"sequence\":1,\"source\":\"outside\","))
        #expect(json[0].contains("\"event\":{\"guestArrived\":{\"_0\":\"Ada\"}}"))
        #expect(json[0].contains("\"effects\":[{\"id\":\"main/1/0\","))
        worker.signal(SIGTERM)
        try await worker.end()
        try await coordinator.kill()
    }

    @Test func loopsAreListedByName() async throws {
        let coordinator = try await coordinator()
        for name in ["shop/2", "shop/1", "other"] {
            try await run(start("send", greeted("Ada"), "--loop", name, "--new"))
        }
        try await run(start("send", "{\"guestArrived\":{\"_0\":\"Ada\"}}", "--loop", "shop/2"))
        let lines = try await run(start("loops", "--prefix", "shop/"))
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.map { $0.split(separator: " ").first } == ["EVENTS", "1", "2"])
        #expect(lines.map { $0.split(separator: " ").last } == ["LOOP", "shop/1", "shop/2"])
        let busy = try await run(start("loops", "--state", "running", "--json"))
        #expect(busy.count == 1)
        #expect(
            try #require(busy.first).hasPrefix(
                "{\"loop\":\"shop/2\",\"lastSequence\":2,\"pendingEffects\":1,\"state\":\"running\",\"lastEvent\":\""))
        let first = try start("loops", "--limit", "2", "--json")
        #expect(try await run(first).count == 2)
        #expect(first.errors.elements == ["There are more: raise --limit, or go on with --after 'other'."])
        #expect(try await run(start("loops", "--after", "other", "--json")).count == 2)
        #expect(try await run(start("loops", "--prefix", "none")) == ["There are no such loops."])
        try await coordinator.kill()
    }
}
