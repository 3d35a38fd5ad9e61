import Bank
import BankFleet
import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// A coordinator and its workers on hosts of their own, with keys, on a network that delays, loses and is cut.
@Suite(
    .enabled(if: Hosts.isTested, "this user may not make network namespaces, which stand for the hosts"),
    .patient)
struct HostTests {
    private let hosts: Hosts
    private let bank: BankProcesses
    private let keys: String

    init() async throws {
        hosts = try await Hosts("head", "east", "west", "spare")
        bank = try BankProcesses()
        keys = bank.folder.file("keys")
        for name in ["east", "west"] {
            let end = try await TestProcess("mobius", ["keys", "new", name, "--worker", "*", "--keys", keys]).end()
            try #require(end == .exited(0))
        }
    }

    /// Starts the coordinator on a host, with the journal and the keys of the bank.
    private func coordinator(on host: String = "head", _ options: [String] = []) async throws -> TestProcess {
        let coordinator = try bank.coordinator(
            bind: "tcp://\(hosts.address(host)):5701", ["--client-bind", "none", "--keys", keys] + options,
            wrapper: hosts.on(host))
        try await coordinator.log("listening")
        return coordinator
    }

    /// Starts a worker on a host, which finds the coordinator by the name `head`.
    private func worker(on host: String, hold: String? = nil) throws -> TestProcess {
        try bank.worker(
            host, connect: "tcp://head:5701", hold: hold, ["--key", "\(keys)/\(host).key"], wrapper: hosts.on(host))
    }

    /// Orders so many transfers, over three accounts each.
    private func order(_ count: Int, prefix: String = "t", at coordinator: TestProcess) async throws {
        for number in 1...count { bank.order("transfer \(prefix)\(number) 1,2,3 10") }
        try await bank.place(at: coordinator)
    }

    @Test("work goes to the workers of both, and back, over a slow network that loses one packet in fifty")
    func slowAndLossy() async throws {
        for host in ["east", "west"] {
            try await hosts.delay(host, milliseconds: 10)
            try await hosts.lose(host, percent: 2)
        }
        let coordinator = try await coordinator()
        let workers = [try worker(on: "east"), try worker(on: "west")]
        for worker in workers { try await worker.log("joined the coordinator") }
        try await bank.openAccounts(at: coordinator)
        try await order(200, at: coordinator)
        #expect(try await bank.complaints(coordinator) == [])
        for host in ["east", "west"] { #expect(try !bank.ledger(host).isEmpty, "\(host) did nothing") }
        #expect(try await hosts.count().lost > 0, "or the test shows nothing")
        withExtendedLifetime(workers) {}
    }

    @Test("a partition shorter than the time a worker is given costs no attempt", arguments: [false, true])
    func shortPartition(isTold: Bool) async throws {
        let coordinator = try await coordinator(["--patient"])
        let worker = try worker(on: "east", hold: "after")
        try await bank.openAccounts(at: coordinator)
        try await bank.transfer("t", at: coordinator)
        try await worker.says("after t/0")
        if isTold { try hosts.unplug("east") } else { try await hosts.cut("east") }
        // It ends while nobody can hear of it.
        try worker.type("go\n")
        try await eventually("the booking in the ledger") { try bank.ledger("east").count == 1 }
        let lost = try await hosts.count().lost
        if !isTold { try await eventually("what it said was lost") { try await hosts.count().lost > lost } }
        if isTold { try hosts.plugIn("east") } else { try await hosts.mend("east") }
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try JournalAudit(path: bank.journal).reports.map(\.number) == [1, 1])
    }

    @Test("a longer one: the other host takes over, and what the first one did is not applied twice")
    func longPartition() async throws {
        let coordinator = try await coordinator()
        let east = try worker(on: "east", hold: "after")
        try await bank.openAccounts(at: coordinator)
        try await bank.transfer("t", at: coordinator)
        try await east.says("after t/0")
        try await hosts.cut("east")
        let west = try worker(on: "west")
        let model = try await bank.finish(coordinator)
        #expect(Bank.check(model) == [])
        #expect(try bank.ledger("west").count == 2, "the step again, and the one after it")
        // The first one is heard of again, with news of an attempt that is over.
        try east.type("go\n")
        try await hosts.mend("east")
        try await eventually("the first one is back") { east.logged("joined the coordinator") >= 2 }
        try await order(20, prefix: "later", at: coordinator)
        #expect(try await bank.complaints(coordinator) == [])
        withExtendedLifetime(west) {}
    }

    @Test("a coordinator that goes on at another address, under its old name, is found again")
    func otherAddress() async throws {
        var coordinator = try await coordinator()
        let workers = [try worker(on: "east"), try worker(on: "west", hold: "during,after")]
        try await bank.openAccounts(at: coordinator)
        for number in 1...20 { bank.order("transfer t\(number) 1,2,3 10") }
        try await bank.place(at: coordinator)
        coordinator.signal(SIGKILL)
        try await coordinator.end()
        try hosts.call("spare", "head")
        coordinator = try await self.coordinator(on: "spare")
        try workers[1].type("go\n")
        try await order(20, prefix: "later", at: coordinator)
        #expect(try await bank.complaints(coordinator) == [])
    }

    @Test("a worker that is told to stop leaves, although a name server lets it wait", arguments: [false, true])
    func silentNameServer(hadSession: Bool) async throws {
        try hosts.ask(hosts.address("spare"), on: "east")
        try await hosts.cut("spare")
        let coordinator = try await coordinator()
        if hadSession { try hosts.call("head", "office") }
        let lost = try await hosts.count().lost
        let worker = try bank.worker(
            "east", connect: "tcp://office:5701", ["--key", "\(keys)/east.key"], wrapper: hosts.on("east"))
        if hadSession {
            try await worker.log("joined the coordinator")
            try hosts.forget("office")
            coordinator.signal(SIGKILL)
        }
        try await eventually("it asked for the name") { try await hosts.count().lost > lost }
        worker.signal(SIGTERM)
        #expect(try await worker.end(within: .seconds(15)) == .exited(0))
        withExtendedLifetime(coordinator) {}
    }

    @Test("a tool that nobody answers gives up, although a name server lets it wait")
    func silentNameServerOfTools() async throws {
        try hosts.ask(hosts.address("spare"), on: "east")
        try await hosts.cut("spare")
        let on = hosts.on("east")
        let ask = [
            try TestProcess.executable("mobius").path, "status", "--connect", "tcp://office:5702", "--timeout", "1s",
            "--key-file", "\(keys)/east.key",
        ]
        let lost = try await hosts.count().lost
        let tool = try TestProcess(on[0], on.dropFirst() + ask)
        #expect(try await tool.end(within: .seconds(15)) == .exited(69))
        #expect(try await hosts.count().lost > lost, "or it asked for no name")
    }

    @Test("hosts that are cut off by turns, while coordinator and workers are killed, lose and double nothing")
    func turns() async throws {
        var coordinator = try await coordinator()
        var workers = ["east": try worker(on: "east"), "west": try worker(on: "west")]
        try await bank.openAccounts(at: coordinator)
        for round in 1...6 {
            let host = round.isMultiple(of: 2) ? "east" : "west"
            try await order(30, prefix: "r\(round)n", at: coordinator)
            if round % 3 == 0 { try hosts.unplug(host) } else { try await hosts.cut(host) }
            let before = try bank.ledger().count
            try await order(10, prefix: "r\(round)m", at: coordinator)
            try await bank.see("round \(round): the other host than \(host) works") { try bank.ledger().count > before }
            switch round {
            case 2, 5:
                coordinator.signal(SIGKILL)
                try await coordinator.end()
                coordinator = try await self.coordinator()
            case 3, 4:
                workers[host]?.signal(SIGKILL)
                try await workers[host]?.end()
                workers[host] = try worker(on: host)
            default: break
            }
            if round % 3 == 0 { try hosts.plugIn(host) } else { try await hosts.mend(host) }
        }
        #expect(try await bank.complaints(coordinator) == [])
    }
}
