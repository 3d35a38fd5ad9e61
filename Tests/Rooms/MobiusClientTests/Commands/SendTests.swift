import FleetTestSupport
import MobiusWire
import TestTraits
import Testing

@Suite("mobius send", .patient)
struct SendTests {
    private let fleet = TestFleet()

    @Test("an event from the command line or standard input, once per key")
    func send() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let typo = try await Command.mobius("send", "1", "--loop", "shop/42", connect: coordinator.endpoint)
        #expect(typo.end == .exited(1) && fleet.events.isEmpty)
        let advice = "has no loop shop/42. Correct --loop, or begin the loop with this event: --new."
        #expect(typo.errors.first?.hasSuffix(advice) == true)
        let first = try await Command.mobius(
            "send", #"{"visited":"ada"}"#, "--key", "1", "--loop", "shop/42", "--new", "--connect", coordinator.endpoint
        )
        #expect(first.output == ["applied to shop/42 at \(coordinator.endpoint)"])
        #expect(first.end == .exited(0))
        let second = try await Command.mobius(
            "send", "-", "--key", "1", "--loop", "shop/42", connect: coordinator.endpoint,
            input: "{ \"visited\":\n \"bob\" }\n")
        #expect(second.output == ["already applied to shop/42 at \(coordinator.endpoint)"])
        let third = try await Command.mobius(
            "send", "[1]", "--type", "Other.Event", connect: coordinator.endpoint)
        #expect(third.output == ["applied to main at \(coordinator.endpoint)"])
        #expect(fleet.events.map(\.loop.name) == ["shop/42", "main"])
        #expect(fleet.events.map(\.event.kind.type) == ["", "Other.Event"])
        #expect(fleet.events[0].event.bytes == Array(#"{"visited":"ada"}"#.utf8))
    }

    @Test("the program's answer and its refusal are printed, with the event's number")
    func replies() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        func send(_ arguments: String..., reply: SenderReply) async throws -> Command {
            fleet.change { $0.excuse = .done(EventConfirmation(repeated: false, number: 12, reply: reply)) }
            // The stand-in has the same answer to all requests: an event in another coding is not checked before.
            return try await Command.mobius(
                ["send", "-", "--key", "k", "--content-type", "text/plain"] + arguments, connect: coordinator.endpoint,
                input: "x")
        }
        let receipt = SenderReply.answer(
            Payload(kind: PayloadKind(type: "Receipt"), bytes: Array(#"{"url":"https://me:secret@a.b/12"}"#.utf8)))
        let answered = try await send(reply: receipt)
        #expect(answered.end == .exited(0))
        #expect(
            answered.output == [
                "applied to main at \(coordinator.endpoint) as event 12", #"{"url":"https://me:***@a.b/12"}"#,
            ])
        let hostile = try await send(
            reply: .answer(Payload(kind: PayloadKind(type: "Text"), bytes: Array("\"\u{9b}2J\u{202e}\"".utf8))))
        #expect(hostile.output.last == #""\u{9b}2J\u{202e}""#)
        let refused = try await send(reply: .refusal("no seat\u{1B}[2J is free"))
        #expect(refused.end == .exited(3))
        #expect(refused.output == [#"refused by the program: no seat\u{1b}[2J is free"#])
        let json = try await send("--json", reply: .refusal("no seat"))
        #expect(json.end == .exited(3))
        #expect(json.output.first?.hasPrefix(#"{"outcome":"refused","number":12,"refused":"no seat","#) == true)
    }

    @Test(
        "what is no event is told before anybody is asked",
        arguments: [
            ("nonsense", "a word is neither true, false nor null"), ("", "there is no value"),
            ("{", "a key is expected"), ("{} {}", "something follows the value"),
        ])
    func notJSON(event: String, problem: String) async throws {
        let run = try await Command.mobius("send", event, connect: "tcp://127.0.0.1:1")
        #expect(run.end == .exited(64))
        let advice = "Quote it for the shell: mobius send '{\"name\":{}}'."
        #expect(run.errors == ["Error: The event is not JSON: \(problem). \(advice)"])
    }

    @Test("values that no type has are the coordinator's to refuse", arguments: ["1e999", #""\ud800""#])
    func strangeValues(event: String) async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let run = try await Command.mobius("send", event, connect: coordinator.endpoint)
        #expect(run.end == .exited(0), "\(run.errors)")
        #expect(fleet.events.map(\.event.bytes) == [Array(event.utf8)])
    }

    @Test("refusals, silence and nobody have their codes")
    func codes() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.hold(.main)
        let refused = try await Command.mobius("send", "1", connect: coordinator.endpoint)
        #expect(refused.end == .exited(1))
        #expect(refused.errors == ["Error: The loop main is held."])

        fleet.change { $0.excuse = .refused(ClientRefusal(.invalidEvent, "no\u{1B}[2J")) }
        let hostile = try await Command.mobius("send", "1", connect: coordinator.endpoint)
        #expect(hostile.errors == [#"Error: no\u{1b}[2J"#])

        fleet.change { $0.excuse = .busy(retryAfter: 10) }
        let busy = try await Command.mobius("send", "1", "--timeout", "2", connect: coordinator.endpoint)
        #expect(busy.end == .exited(75))
        #expect(busy.errors.first?.contains(" was busy for 2.0 seconds") == true)
        #expect(busy.errors.first?.contains("repeat the command with --key ") == true)
        let keyed = try await Command.mobius(
            "send", "1", "--key", "k", "--timeout", "2", connect: coordinator.endpoint)
        #expect(keyed.errors.first?.contains("--key") == false)

        await coordinator.end()
        let nobody = try await Command.mobius("send", "1", "--timeout", "0.3", connect: coordinator.endpoint)
        #expect(nobody.end == .exited(69))
        #expect(nobody.errors.first?.contains("is it running") == true)
        let nowhere = try await Command.mobius("send", "1", "--connect", "tcp://nowhere")
        #expect(nowhere.end == .exited(64))
        let loop = try await Command.mobius("send", "1", "--loop", String(repeating: "l", count: 129))
        #expect(loop.end == .exited(64))
    }
}
