import Bank
import BankFleet
import FleetTestSupport
import MobiusWire
import TestTraits
import Testing

/// Peers that say what they should not, and payloads that are too large.
@Suite(.patient)
struct ProtocolTests {
    private let bank: BankProcesses

    init() throws {
        bank = try BankProcesses()
    }

    /// An honest worker is served, whatever happened before.
    private func expectService(_ coordinator: TestProcess) async throws {
        let worker = try bank.worker("honest")
        try await bank.transfer("honest", at: coordinator)
        #expect(try await bank.complaints(coordinator) == [])
        #expect(try await bank.model(of: coordinator).transfers["honest"]?.state == .done)
        withExtendedLifetime(worker) {}
    }

    @Test("a worker of another version of the protocol is told why it is not admitted")
    func wrongVersion() async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        let answer = try await Stranger.say([Stranger.hello(versions: [99, 100])], to: bank.endpoint)
        guard case .reject(let reason) = answer else {
            Issue.record("\(String(describing: answer)) instead of REJECT")
            return
        }
        #expect(reason.contains("version 1"))
        try await coordinator.log("peer refused")
        try await expectService(coordinator)
    }

    @Test("a worker that is not admitted says why and ends with 69")
    func rejected() async throws {
        let worker = try bank.worker("w")
        try await Stranger.answer(
            .reject("this coordinator speaks version 99 of the protocol only"), at: bank.endpoint, untilGone: worker)
        #expect(try await worker.end() == .exited(69))
        #expect(
            worker.errors.elements.contains { $0.contains("does not admit this worker") && $0.contains("version 99") })
    }

    @Test("garbage is counted and answered, and the coordinator goes on")
    func garbage() async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        let hello = Stranger.hello(versions: [Head.version])
        var otherSignature = hello
        otherSignature[0] ^= 0xFF
        var unknownCommand = hello
        unknownCommand[3] = 0x3F
        let utterances: [[UInt8]] = [
            [], [0], Array("GET / HTTP/1.1\r\n\r\n".utf8), otherSignature, unknownCommand, Array(hello.dropLast(3)),
            hello + [0], Array(repeating: 0xAA, count: 100_000),
        ]
        for bytes in utterances {
            let answer = try await Stranger.say([bytes, bytes], to: bank.endpoint)
            guard case .reject = answer else {
                Issue.record("\(String(describing: answer)) instead of REJECT, to \(bytes.prefix(30))")
                continue
            }
        }
        // The answer may be here before the line in the log.
        try await coordinator.errors.wait(for: "a line for each of them") { lines in
            lines.count { $0.contains("peer refused") } >= utterances.count
        }
        try await expectService(coordinator)
        // Each of them is in the log once, though it spoke twice.
        #expect(coordinator.errors.elements.count { $0.contains("peer refused") } == utterances.count)
    }

    @Test("a worker that speaks without HELLO is asked for it")
    func missingHello() async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        var heartbeat: [UInt8] = []
        Envelope<WorkerMessage>(
            epoch: 1, session: 7, message: .heartbeat(creditTotal: 9, orders: OrderCount(), held: [])
        )
        .encode(into: &heartbeat)
        #expect(try await Stranger.say([heartbeat], to: bank.endpoint) == .resync)
        try await expectService(coordinator)
    }

    @Test("a frame beyond all limits ends its connection, and nothing else")
    func oversizeFrame() async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        let frame = [UInt8](repeating: 0, count: 6 << 20)
        #expect(try await Stranger.say([frame], to: bank.endpoint, patience: .seconds(1)) == nil)
        try await expectService(coordinator)
    }

    @Test("an effect that is too large to send fails, and update sees it")
    func oversizeEffect() async throws {
        let coordinator = try bank.coordinator(["--maximum-payload", "2000"])
        try await bank.openAccounts(at: coordinator)
        let id = String(repeating: "x", count: 2000)
        try await bank.transfer(id, at: coordinator)
        #expect(try await bank.finish(coordinator).transfers[id]?.state == .unclear)
        try await expectService(coordinator)
    }

    @Test("an event that is too large to send fails its effect, and update sees it")
    func oversizeEvent() async throws {
        let coordinator = try bank.coordinator()
        try await bank.openAccounts(at: coordinator)
        let worker = try bank.worker("w", ["--padding", "\(5 << 20)"])
        try await bank.transfer("t", at: coordinator)
        #expect(try await bank.finish(coordinator).transfers["t"]?.state == .unclear)
        try await worker.kill()
        try await expectService(coordinator)
    }
}
