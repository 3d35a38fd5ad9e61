import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a user is told about mistakes, by real processes.
@Suite(.patient)
struct DiagnosisTests {
    private let folder: TestFolder
    private let endpoint: String

    init() throws {
        folder = try TestFolder()
        endpoint = "ipc://\(folder.file("s"))"
    }

    private var environment: [String: String] {
        [
            "MOBIUS_BIND": endpoint, "MOBIUS_CONNECT": endpoint, "MOBIUS_CONNECT_CLIENT": "\(endpoint)-client",
            "MOBIUS_RUNTIME_DIR": folder.path,
        ]
    }

    private func start(_ name: String, _ arguments: String..., variables: [String: String] = [:]) throws -> TestProcess
    {
        try TestProcess(name, arguments, environment: environment.merging(variables) { $1 }, in: folder.path)
    }

    private func greeter() async throws -> TestProcess {
        let coordinator = try start("greeter-coordinator")
        try await coordinator.log("listening")
        return coordinator
    }

    /// What a command prints on both outputs.
    private func mobius(_ arguments: String...) async throws -> (end: TestProcess.End, said: [String]) {
        let process = try TestProcess("mobius", arguments, environment: environment, in: folder.path)
        let end = try await process.end()
        return (end, process.output.elements + process.errors.elements)
    }

    // MARK: - Nobody is reached

    @Test("a worker that reaches nobody warns after five seconds, with the endpoint and the system's reason")
    func lonelyWorker() async throws {
        let began = ContinuousClock.now
        let worker = try start("greeter-worker", "--connect", "tcp://127.0.0.1:1")
        try await worker.log("no coordinator reached, still trying")
        #expect(ContinuousClock.now - began >= .seconds(5))
        let line = try #require(worker.errors.elements.first { $0.contains("no coordinator reached") })
        #expect(line.contains(" warning greeter-worker: "))
        #expect(
            line.contains("endpoint=tcp://127.0.0.1:1 ") && line.contains(#"error="Connection refused""#), "\(line)")
        worker.signal(SIGTERM)
        #expect(try await worker.end() == .exited(0))
    }

    @Test("so does a client while it waits")
    func lonelyClient() async throws {
        let path = "tcp://127.0.0.1:1"
        // It warns after 5 s, and again after 15 s.
        let (end, said) = try await mobius("status", "--connect", path, "--timeout", "12s")
        #expect(end == .exited(69))
        #expect(said.count { $0.contains("no coordinator reached") } == 1, "\(said)")
        #expect(said.contains { $0.contains(#"error="Connection refused""#) && $0.contains(path) }, "\(said)")
    }

    // MARK: - Effects that wait

    @Test("a pool that no worker serves is named by effects, status and the log, and effects show says why each waits")
    func unserved() async throws {
        let coordinator = try await greeter()
        #expect(try await mobius("send", #"{"guestArrived":{"_0":"Ada"}}"#).end == .exited(0))
        try await coordinator.log("no worker serves greeters, and effects wait for it")
        let effects = try await mobius("effects")
        #expect(effects.said.last?.hasSuffix("no worker serves greeters") == true, "\(effects.said)")
        let status = try await mobius("status")
        #expect(status.said.contains("no worker serves greeters: 1 effect waits"), "\(status.said)")
        let why = try await mobius("effects", "--why", "main")
        #expect(why.said.first == "main: It waits for one effect, or for an event.", "\(why.said)")
        let reason = "greet waits for pool greeters: no worker serves greeters."
        #expect(why.said.last?.hasSuffix(reason) == true, "\(why.said)")
        let unknown = try await mobius("effects", "--why", "mian")
        #expect(unknown.end == .exited(1), "\(unknown.said)")
        let shown = try await mobius("effects", "show", "main/1/0")
        #expect(shown.end == .exited(0))
        #expect(shown.said.contains("Waits:           no worker serves greeters"), "\(shown.said)")
        #expect(shown.said.contains(#"    "_0" : "Ada""#), "the payload: \(shown.said)")
        let json = try await mobius("effects", "show", "main/1/0", "--json")
        #expect(json.said.first?.contains(#""obstacle":"no worker serves greeters""#) == true, "\(json.said)")
        let missing = try await mobius("effects", "show", "main/9/0")
        #expect(missing.end == .exited(1))
        #expect(missing.said.last?.hasSuffix("has no pending effect main/9/0.") == true, "\(missing.said)")
        withExtendedLifetime(coordinator) {}
    }

    @Test("effects shows on which worker each runs, and that the next one waits for its only slot")
    func busy() async throws {
        // No time limit ends while the test holds the first handler.
        let coordinator = try start(
            "bank-coordinator", "--journal", folder.file("journal"), "--timeout", "3600", "--patient", "--silence", "30"
        )
        try await coordinator.log("listening")
        let worker = try start(
            "bank-worker", "--name", "bank.7", "--concurrency", "1", "--hold", "before", "--ledger",
            folder.file("ledger"))
        for list in ["s1", "s2"] {
            let sent = try await mobius("send", #"{"statementRequested":{"_0":{"id":"\#(list)","lines":1}}}"#)
            #expect(sent.end == .exited(0), "\(sent.said)")
        }
        try await worker.output.wait(for: "a list that is held") { $0.contains { $0.hasPrefix("before") } }
        let busy = try await mobius("effects")
        #expect(busy.said.contains { $0.contains("on bank.7") }, "\(busy.said)")
        #expect(busy.said.contains { $0.contains("no free slot on the only worker of bank") }, "\(busy.said)")
        withExtendedLifetime(coordinator) {}
    }

    // MARK: - Names that do not exist

    @Test("unknown pools and loops in filters are errors with the nearest name")
    func filters() async throws {
        let coordinator = try await greeter()
        for (arguments, sentence) in [
            (["effects", "--pool", "greters"], "There is no pool greters. Did you mean greeters?"),
            (["effects", "--loop", "mian"], "There is no loop mian. Did you mean main?"),
            (["effects", "--loop", "shop"], "There is no loop shop. There is main."),
            (["dead", "list", "--loop", "mian"], "There is no loop mian. Did you mean main?"),
        ] {
            let process = try TestProcess("mobius", arguments, environment: environment, in: folder.path)
            #expect(try await process.end() == .exited(1), "\(arguments)")
            #expect(process.errors.elements == ["Error: \(sentence)"], "\(arguments)")
        }
        // The pool of a route is known before it has an effect or a worker.
        #expect(try await mobius("effects", "--pool", "greeters").said == ["No effects are pending."])
        let sent = try await mobius("send", #"{"guestArrived":{"_0":"Ada"}}"#, "--loop", "mian")
        #expect(sent.said.last?.contains("Did you mean main?") == true, "\(sent.said)")
        withExtendedLifetime(coordinator) {}
    }

    @Test("a topology's pool whose command serves another pool is refused")
    func wrongPool() async throws {
        try Data(
            """
            endpoint: "\(endpoint)"
            coordinator: {command: [greeter-coordinator]}
            pools: {greters: {command: [greeter-worker]}}
            """.utf8
        ).write(to: URL(fileURLWithPath: folder.file("fleet.yaml")))
        let (end, said) = try await mobius("up", "fleet.yaml")
        #expect(end == .exited(64))
        #expect(
            said.contains {
                $0.contains(
                    "This program serves the pool greeters, but it was started for the pool greters (MOBIUS_POOL)")
            }, "\(said)")
    }

    // MARK: - Wrong events

    @Test("a wrong event is told by the cases, the nearest one and the place; unknown keys are warned of or refused")
    func wrongEvents() async throws {
        let coordinator = try await greeter()
        let prefix = "Error: The event cannot be read: decoding Event failed"
        let cases = "The cases are guestArrived, greeted, greetingFailed."
        for (event, sentence) in [
            (#"{"guestArived":{"_0":"Ada"}}"#, " at guestArived: did you mean guestArrived? \(cases)"),
            (#"{"left":{}}"#, " at left: this is no case. \(cases)"),
            ("{}", ": a case is missing; the cases are guestArrived, greeted, greetingFailed."),
            (#""greeted""#, ": it is no object."),
            (#"{"greeted":{"_0":5}}"#, " at greeted._0: it is no String."),
        ] {
            let (end, said) = try await mobius("send", event)
            #expect(end == .exited(1))
            #expect(said == [prefix + sentence])
        }
        let odd = #"{"greetingFailed":{"_0":"Ada","_1":"ill","reason":"flu"}}"#
        let strict = try await mobius("send", odd, "--strict", "--key", "k")
        #expect(strict.end == .exited(1))
        #expect(
            strict.said == ["Error: The program does not read greetingFailed.reason. Nothing was applied."])
        let warned = try await mobius("send", odd, "--key", "k")
        #expect(warned.end == .exited(0))
        #expect(
            warned.said.first?.hasPrefix("applied to greeter/main") == true
                || warned.said.first?.hasPrefix("applied to main") == true)
        #expect(
            warned.said.last
                == "Warning: The program does not read greetingFailed.reason. Refuse such events with --strict.")
        #expect(try await mobius("send", odd, "--strict", "--key", "k2", "--type-version", "1").end == .exited(64))
        withExtendedLifetime(coordinator) {}
    }

    // MARK: - Held loops

    private func trapper(mended: Bool = false) async throws -> TestProcess {
        var variables = ["SWIFT_BACKTRACE": "enable=no"]
        if mended { variables["MENDED"] = "1" }
        let process = try TestProcess(
            "trapping-coordinator", [folder.file("journal"), endpoint, "\(endpoint)-client"], environment: variables,
            in: folder.path, input: .pipe)
        try await process.output.wait(for: "the coordinator to listen") { $0.contains("listening") }
        return process
    }

    @Test("a thousand held loops are one line and the first five, and a coordinator without any other says so loudly")
    func manyHeld() async throws {
        let first = try await trapper()
        let loops = (1...1000).map { "l\($0)" } + ["main"]
        try first.type(loops.map { "send \($0) k {\"askForNone\":{}}\n" }.joined())
        try await first.output.wait(for: "all to be held") { $0.count { $0.hasPrefix("refused") } == 1001 }
        #expect(first.errors.elements.count { $0.contains("loop held:") } < 100)
        // In order: the journal records after the refusal that a loop is held.
        try first.type("stop\n")
        try await first.end()
        let second = try await trapper()
        try await second.errors.wait(for: "the loud line") { $0.contains { $0.contains("ALL LOOPS ARE HELD") } }
        #expect(second.errors.elements.count { $0.contains("loop held:") } == 5)
        #expect(
            second.errors.elements.contains {
                $0.contains("of which the first are logged above") && $0.contains("1001")
            })
        let status = try await mobius("status")
        #expect(
            status.said.contains("Loops:        1001, ALL HELD: nothing is applied, see mobius quarantine list"),
            "\(status.said)")
        #expect(status.said.contains("… and 996 more loops, 996 of them held"), "\(status.said)")
        // A program that reads the list gets all of it; on a terminal it is five.
        #expect(try await mobius("quarantine", "list").said.count == 1002)
        let terminal = try PseudoTerminal()
        let list = try TestProcess(
            "mobius", ["quarantine", "list"], environment: environment, in: folder.path, input: .terminal(terminal))
        #expect(try await list.end() == .exited(0))
        try await terminal.shows("1001 loops are held; these are the first 5, --all shows every one:")
        try await terminal.shows("l101 ")
        #expect(terminal.screen.split(whereSeparator: \.isNewline).count == 7, "\(terminal.screen)")
        withExtendedLifetime(second) {}
    }

    @Test("after quarantine release --drop, a send with that key is answered with dropped, over restarts")
    func dropped() async throws {
        let poison = #"{"trap":{}}"#
        for _ in 1...2 {
            let process = try await trapper()
            let sending = try TestProcess(
                "mobius", ["send", poison, "--key", "poison", "--timeout", "1h"], environment: environment)
            #expect(try await process.end() == .signalled(SIGILL))
            try await sending.kill()
        }
        let third = try await trapper()
        #expect(try await mobius("send", poison, "--key", "poison").end == .exited(1))
        let released = try await mobius("quarantine", "release", "main", "--drop")
        #expect(released.end == .exited(0), "\(released.said)")
        for _ in 1...2 {
            let again = try await mobius("send", poison, "--key", "poison")
            #expect(again.end == .exited(0))
            #expect(
                again.said.first?.hasPrefix("dropped, not applied to main") == true, "\(again.said)")
        }
        try await third.kill()
        let fourth = try await trapper()
        #expect(
            try await mobius("send", poison, "--key", "poison").said.first?.hasPrefix("dropped, not applied to main")
                == true)
        #expect(
            try await mobius("send", #"{"add":{"_0":7}}"#, "--key", "a", "--type", "trapper.event").end == .exited(0))
        let newer = try await mobius(
            "send", #"{"add":{"_0":7}}"#, "--key", "b", "--type", "trapper.event", "--type-version", "2")
        #expect(newer.end == .exited(1))
        #expect(newer.said.last?.contains("it is version 2, written by a newer program") == true, "\(newer.said)")
        withExtendedLifetime(fourth) {}
    }

    // MARK: - The terminal

    /// The durable counter, whose standard error is the terminal, too.
    private func counter(
        _ arguments: [String], _ variables: [String: String], at terminal: PseudoTerminal
    ) throws -> TestProcess {
        try TestProcess(
            "/bin/sh", ["-c", #"exec "$0" "$@" 2>&1"#, TestProcess.executable("counter").path] + arguments,
            environment: variables, in: folder.path, input: .terminal(terminal))
    }

    @Test("a coordinator's log lines wait while its view has the terminal; --log-file shows them at once")
    func viewAndLog() async throws {
        let terminal = try PseudoTerminal()
        var variables = environment
        variables["TERM"] = "xterm"
        let counter = try self.counter([], variables, at: terminal)
        try await terminal.shows("count 0")
        try counter.type("-\n")  // asks for a sound, which no worker plays
        try await terminal.shows("history")
        try await eventually("the coordinator notes the pool") {
            try await self.mobius("status").said.contains { $0.contains("no worker serves sound-player") }
        }
        #expect(!terminal.screen.contains("listening"))
        try counter.type("q\n")
        #expect(try await counter.end() == .exited(0))
        try await terminal.shows("listening")

        let other = try PseudoTerminal()
        let logged = try self.counter(["--log-file", "counter.log"], variables, at: other)
        try await other.shows("count")
        try await eventually("the line is in the file") {
            (try? String(contentsOfFile: self.folder.file("counter.log"), encoding: .utf8))?.contains("listening")
                == true
        }
        try logged.type("q\n")
        #expect(try await logged.end() == .exited(0))
        #expect(!other.screen.contains("listening"))
    }
}
