import FleetTestSupport
import Foundation
import MobiusWire
import Synchronization
import TestTraits
import Testing

@Suite("mobius send with many events", .patient)
struct BulkTests {
    private let fleet = TestFleet()
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func file(_ lines: [String], _ name: String = "events.jsonl") throws -> String {
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        return folder.file(name)
    }

    private var numbers: [String] {
        fleet.events.map { String(decoding: $0.event.bytes, as: UTF8.self) }
    }

    @Test("every line is applied once, in order, also when the coordinator is busy again and again")
    func order() async throws {
        let calls = Mutex(0)
        let coordinator = try await TestCoordinator { [fleet] id, request in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            // The retries come soon, so that the test does not take long.
            return call % 97 < 2 ? .busy(retryAfter: 1) : fleet.host(id, request)
        }
        let path = try file((1...3000).map { "\($0)" })
        let run = try await Command.mobius("send", "--file", path, "--json", connect: coordinator.endpoint)
        #expect(run.end == .exited(0))
        #expect(numbers == (1...3000).map { "\($0)" })
        #expect(
            run.output == [
                #"{"outcome":"applied","applied":3000,"alreadyApplied":0,"dropped":0,"refused":0,"skipped":0,"lastLine":3000,"#
                    + #""target":"\#(coordinator.endpoint)"}"#
            ])
        let again = try await Command.mobius("send", "--file", path, connect: coordinator.endpoint)
        #expect(again.output == ["0 applied, 3000 already applied, at \(coordinator.endpoint)"])
        #expect(fleet.events.count == 3000)
    }

    @Test("a line that is no event ends it: nothing behind it is applied, and it continues from there")
    func badLine() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        var lines = (1...500).map { "\($0)" }
        lines[299] = "{oops"
        let path = try file(lines)
        let run = try await Command.mobius("send", "--file", path, connect: coordinator.endpoint)
        #expect(run.end == .exited(1))
        #expect(
            run.errors == [
                "Error: Line 300: it is not JSON. All lines up to 299 are applied; none behind it (299 applied). "
                    + "Correct it and run the command again, with --from-line 300: nothing is applied twice. Or leave such "
                    + "lines out with --skip-invalid."
            ])
        #expect(numbers == (1...299).map { "\($0)" })
        lines[299] = "300"
        _ = try file(lines)
        let next = try await Command.mobius(
            "send", "--file", path, "--from-line", "300", connect: coordinator.endpoint)
        #expect(next.output == ["201 applied, at \(coordinator.endpoint)"])
        #expect(numbers == (1...500).map { "\($0)" })
    }

    @Test("a refused event ends it, or is left out and counted")
    func refused() async throws {
        let coordinator = try await TestCoordinator { [fleet] id, request in
            if case .send(_, _, let event, _) = request, event.bytes == Array("5".utf8) {
                return .refused(ClientRefusal(.invalidEvent, "five is no number"))
            }
            return fleet.host(id, request)
        }
        let path = try file((1...400).map { "\($0)" } + ["{oops", "", "402"])
        let run = try await Command.mobius("send", "--file", path, connect: coordinator.endpoint)
        #expect(run.end == .exited(1))
        let start =
            "Error: Line 5: five is no number. All lines up to 4 are applied; some of those behind it may be, too"
        #expect(run.errors.first?.hasPrefix(start) == true)
        #expect(numbers == ["1", "2", "3", "4"])
        let rest = try await Command.mobius(
            "send", "--file", path, "--skip-invalid", connect: coordinator.endpoint)
        #expect(rest.end == .exited(0))
        #expect(rest.output == ["396 applied, 4 already applied, 2 left out, at \(coordinator.endpoint)"])
        // The reader is ahead of the answers.
        #expect(Set(rest.errors) == ["Line 5 left out: five is no number", "Line 401 left out: it is not JSON"])
        #expect(numbers == ((1...4).map { "\($0)" } + (6...400).map { "\($0)" } + ["402"]))
    }

    @Test("what the program refuses is on disk, counted apart and told with its lines", arguments: [false, true])
    func refusedByTheProgram(skips: Bool) async throws {
        let coordinator = try await TestCoordinator { [fleet] id, request in
            let answer = fleet.host(id, request)
            guard case .send(_, _, let event, _) = request, event.bytes.last == UInt8(ascii: "7") else { return answer }
            let number = String(decoding: event.bytes, as: UTF8.self)
            return .done(EventConfirmation(repeated: false, number: 1, reply: .refusal("\(number) brings bad luck")))
        }
        let path = try file((1...200).map { "\($0)" })
        let options = ["send", "--file", path] + (skips ? ["--skip-invalid"] : [])
        let run = try await Command.mobius(options, connect: coordinator.endpoint)
        #expect(run.end == .exited(3))
        #expect(run.output == ["180 applied, 20 refused by the program, at \(coordinator.endpoint)"])
        let first = (0..<10).map {
            "Line \($0 * 10 + 7): refused by the program: \($0 == 0 ? "" : "\($0)")7 brings bad luck"
        }
        #expect(run.errors == first + ["… and 10 more refused by the program"])
        #expect(numbers == (1...200).map { "\($0)" })
        let again = try await Command.mobius(options + ["--json"], connect: coordinator.endpoint)
        #expect(again.end == .exited(3) && again.errors.isEmpty)
        let line = try #require(again.output.first)
        #expect(line.contains(#""applied":0,"alreadyApplied":180,"dropped":0,"refused":20,"refusals":[{"line":7,"#))
        #expect(line.contains(#"{"line":97,"reason":"97 brings bad luck"}],"skipped":0,"lastLine":200,"#))
    }

    @Test("lines name their loop and key; standard input has one event, or one per line")
    func lines() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let named = #"{"loop":"a/1","key":"k","event":{"x":1}}"#
        let run = try await Command.mobius(
            "send", "-", "--new", "--loop", "b", "--key-prefix", "p", connect: coordinator.endpoint,
            input: "\(named)\n\n{\"y\":2}\n")
        #expect(run.output == ["2 applied, at \(coordinator.endpoint)"])
        #expect(fleet.events.map(\.loop.name) == ["a/1", "b"])
        #expect(fleet.events.map(\.key) == ["k", "p-3"])
        #expect(numbers == [#"{"x":1}"#, #"{"y":2}"#])
        // One event in several lines is one event; one envelope is a line.
        let one = try await Command.mobius("send", "-", connect: coordinator.endpoint, input: "{\n\"z\":3\n}\n")
        #expect(one.output == ["applied to main at \(coordinator.endpoint)"])
        let single = try await Command.mobius("send", "-", connect: coordinator.endpoint, input: named + "\n")
        #expect(single.output == ["0 applied, 1 already applied, at \(coordinator.endpoint)"])
        let place = try await Command.mobius("send", "a/1", #"{"w":4}"#, connect: coordinator.endpoint)
        #expect(place.output == ["applied to a/1 at \(coordinator.endpoint)"])
        let missing = try await Command.mobius(
            "send", "--file", "-", connect: coordinator.endpoint, input: #"{"loop":"no","event":1}"#)
        #expect(missing.end == .exited(1))
        #expect(missing.errors.first?.contains("has no loop no. Correct its loop, or begin loops with --new.") == true)
        #expect(missing.errors.first?.contains("No line is applied; some of those behind it may be, too") == true)
        #expect(missing.errors.first?.contains("with --key-prefix ") == true)
    }

    @Test("a coordinator that stops answering: what is known, and how to continue")
    func silence() async throws {
        fleet.change { $0.capacity = 1000 }
        let coordinator = try await TestCoordinator(host: fleet.host)
        let path = try file((1...3000).map { "\($0)" })
        let run = try await Command.mobius("send", "--file", path, "--timeout", "2", connect: coordinator.endpoint)
        #expect(run.end == .exited(75))
        let error = try #require(run.errors.first)
        #expect(error.contains("All lines up to 990 are applied; of those behind it that is not known (990 applied)."))
        #expect(error.contains("with --from-line 991: nothing is applied twice."))
        fleet.change { $0.capacity = .max }
        let again = try await Command.mobius(
            "send", "--file", path, "--from-line", "991", connect: coordinator.endpoint)
        #expect(again.output == ["2000 applied, 10 already applied, at \(coordinator.endpoint)"])
        #expect(numbers == (1...3000).map { "\($0)" })
    }

    @Test("wrong use")
    func usage() async throws {
        for arguments in [
            ["send"], ["send", "1", "--file", "f"], ["send", "a", "1", "--loop", "b"], ["send", "a", "b", "c"],
            ["send", "1", "--skip-invalid"], ["send", "--file", "f", "--from-line", "0"],
            ["send", "--file", "f", "--key", "k"], ["send", "--file", "f", "--strict"],
        ] {
            let run = try await Command.mobius(arguments, connect: "tcp://127.0.0.1:1")
            #expect(run.end == .exited(64), "\(arguments)")
        }
        let none = try await Command.mobius("send", "--file", folder.file("none"), connect: "tcp://127.0.0.1:1")
        #expect(none.end == .exited(66))
    }
}
