import Bank
import BankFleet
import FleetTestSupport
import Foundation
import MobiusCodec
import MobiusWire
import TestTraits
import Testing

/// The bank in each coding, and over a change of it.
@Suite(.patient)
struct CodingTests {
    private static let types = ["json": "application/json", "fast": "application/vnd.mobius.fast"]

    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    private func coordinator(_ coding: String, failpoints: String? = nil) throws -> TestProcess {
        try bank.coordinator(failpoints: failpoints, environment: ["BANK_CODING": coding])
    }

    /// The lines of `mobius journal show --json`, each an event.
    private func shown() async throws -> [Shown] {
        let process = try TestProcess("mobius", ["journal", "show", bank.journal, "--json", "--limit", "1000"])
        #expect(try await process.end() == .exited(0))
        return try process.output.elements.map { try JSONDecoder().decode(Shown.self, from: Data($0.utf8)) }
    }

    /// What a line of the journal says of its payloads; in JSON `event` is what it says, whatever was written.
    private struct Shown: Decodable {
        struct Effect: Decodable { let contentType: String }

        let contentType: String?
        let effects: [Effect]?
        let eventBase64: String?
    }

    @Test("moves money, and its journal can be read", arguments: ["json", "fast"])
    func each(_ coding: String) async throws {
        let coordinator = try coordinator(coding)
        let worker = try bank.worker("w")
        try await bank.openAccounts(at: coordinator)
        try await bank.transfer("t", " letter", at: coordinator)
        bank.order("list l 3")
        bank.order("audit 4")
        try await bank.place(at: coordinator)
        #expect(try await bank.complaints(coordinator) == [])
        let before = try await bank.model(of: coordinator)
        #expect(before.transfers["t"]?.state == .done)
        #expect(before.statements["l"]?.isComplete == true)
        try coordinator.type("stop\n")
        #expect(try await coordinator.end() == .exited(0))
        let events = try await shown()
        let types = Set(events.compactMap(\.contentType) + events.flatMap { ($0.effects ?? []).map(\.contentType) })
        #expect(types == [Self.types[coding]])
        #expect(events.allSatisfy { $0.eventBase64 == nil }, "every payload is shown as JSON")
        #expect(try await bank.journal("verify", bank.journal) == .exited(0))
        // From the snapshot that it left.
        let again = try self.coordinator(coding)
        #expect(try await bank.model(of: again) == before)
        withExtendedLifetime(worker) {}
    }

    @Test(
        "goes on in another coding, with what the journal holds in the one before",
        arguments: [["json", "fast", "json"], ["fast", "json"]])
    func change(_ codings: [String]) async throws {
        let worker = try bank.worker("w", hold: "before")
        var last: Bank.Model?
        for (number, coding) in codings.enumerated() {
            let coordinator = try coordinator(coding)
            if number == 0 { try await bank.openAccounts(at: coordinator) }
            if let last { #expect(try await bank.model(of: coordinator) == last) }
            try await bank.transfer("t\(number)", " letter", at: coordinator)
            try await worker.says("before t\(number)/0")
            last = try await bank.model(of: coordinator)
            // Every second one ends orderly, with a snapshot in its coding; the others leave events only.
            if number % 2 == 0 { try await coordinator.kill() } else { try coordinator.type("stop\n") }
            try await coordinator.end()
        }
        let coordinator = try coordinator(codings[0])
        try worker.type("go\n")
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try await bank.model(of: coordinator).transfers.count == codings.count)
        let types = Set(try await shown().compactMap(\.contentType))
        #expect(types == Set(codings.compactMap { Self.types[$0] }))
    }

    @Test("takes events in every coding, whatever its own is", arguments: ["json", "fast"])
    func send(_ coding: String) async throws {
        let coordinator = try coordinator(coding)
        let worker = try bank.worker("w")
        try await bank.openAccounts(at: coordinator)
        var scratch = CodingScratch()
        for (name, type) in Self.types.sorted(by: { $0.key < $1.key }) {
            let event = Bank.Event.transferRequested(Bank.TransferRequest(id: name, route: [1, 2], amount: 10))
            var bytes: [UInt8] = []
            if name == "json" {
                try JSONCodec(Bank.Event.self).encode(event, into: &bytes, scratch: &scratch)
            } else {
                try FastCodec(Bank.Event.self).encode(event, into: &bytes, scratch: &scratch)
            }
            let send = try TestProcess(
                "mobius",
                ["send", "-", "--key", name, "--content-type", type, "--connect", "\(bank.endpoint)-client"],
                input: .pipe)
            try send.type(all: bytes)
            #expect(try await send.end() == .exited(0))
            #expect(send.output.elements.first?.hasPrefix("applied to main") == true)
        }
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try await bank.model(of: coordinator).transfers.count == 2)
        #expect(try await bank.mobius("send", "x", "--content-type", "application/vnd.mobius.fast").end == .exited(64))
        withExtendedLifetime(worker) {}
    }

    @Test("shows its dead letters as JSON", arguments: ["json", "fast"])
    func letters(_ coding: String) async throws {
        let coordinator = try coordinator(coding)
        try await bank.openAccounts(at: coordinator)
        let broken = try bank.worker("broken", ["--broken"])
        bank.order("audit 1")
        try await bank.place(at: coordinator)
        try await eventually("it died") { try await bank.model(of: coordinator).unarchived.count == 1 }
        let list = try await bank.mobius("dead", "list")
        let letter = try #require(list.said.dropFirst().first).prefix { $0 != " " }
        let shown = try await bank.mobius("dead", "show", String(letter), "--json")
        #expect(shown.end == .exited(0))
        let line = try #require(shown.said.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["contentType"] as? String == Self.types[coding])
        #expect(object["effect"] != nil && object["effectBase64"] == nil, "\(line)")
        withExtendedLifetime(broken) {}
    }

    @Test("refuses what it cannot read, and tells the sender why")
    func unknown() async throws {
        let coordinator = try coordinator("fast")
        try await bank.openAccounts(at: coordinator)
        for type in ["application/x-unknown", "application/vnd.mobius.fast"] {
            let send = try TestProcess(
                "mobius", ["send", "-", "--content-type", type, "--connect", "\(bank.endpoint)-client"], input: .pipe)
            try send.type(all: [0xff, 0x00])
            #expect(try await send.end() != .exited(0))
            #expect(send.errors.elements.contains { $0.contains(type) || $0.contains("The event cannot be read") })
        }
        try await bank.transfer("t", at: coordinator)
    }

    @Test("does not admit a worker that cannot read the program's effects, and tells it why")
    func worker() async throws {
        let coordinator = try coordinator("fast")
        try await bank.openAccounts(at: coordinator)
        let answer = try await Stranger.say([Stranger.hello(versions: [Head.version])], to: bank.endpoint)
        guard case .reject(let reason) = answer else {
            Issue.record("\(String(describing: answer)) instead of REJECT")
            return
        }
        #expect(
            reason
                == "the program's effects are application/vnd.mobius.fast, and this worker reads only application/json")
        try await coordinator.log("peer refused")
    }
}
