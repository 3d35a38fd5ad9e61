import BankFleet
import FleetTestSupport
import Foundation
import MobiusProgram
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A trace that a client begins goes on through coordinator and workers, over all attempts and effects that follow.
@Suite(.patient)
struct TraceTests {
    private let bank: BankProcesses
    private let traced: [String: String]
    private let trace = "0af7651916cd43dd8448eb211c80319c"
    private let client = "b7ad6b7169203331"

    init() throws {
        bank = try BankProcesses()
        traced = ["BANK_SPANS": bank.folder.file("spans")]
    }

    private func transfer(_ id: String, _ route: String = "1,2,3") async throws {
        let event = """
            {"transferRequested":{"_0":{"id":"\(id)","route":[\(route)],"amount":10,"wantsLetter":false,"isWatched":false}}}
            """
        let send = try TestProcess(
            "mobius", ["send", event, "--key", id, "--connect", "\(bank.endpoint)-client"],
            environment: ["TRACEPARENT": "00-\(trace)-\(client)-01"])
        #expect(try await send.end() == .exited(0))
        #expect(
            send.output.elements.first?.hasPrefix("applied to main at \(bank.endpoint)-client as event ") == true)
    }

    private func spans() throws -> [SpanFile.Record] {
        try SpanFile.spans(in: bank.folder.file("spans"))
    }

    @Test func eachAttemptHasASpanBelowWhatAskedForIt() async throws {
        let coordinator = try bank.coordinator(pace: 1)  // knows nothing of tracers
        let worker = try bank.worker("w", environment: traced)
        try await bank.openAccounts(at: coordinator)
        try await transfer("t")
        _ = try await bank.finish(coordinator)
        try await eventually("two spans") { try self.spans().count == 2 }
        let spans = try spans()
        #expect(spans.map(\.trace) == [trace, trace])
        #expect(spans[0].parent == client)
        #expect(spans[1].parent == spans[0].span, "the second hop follows from the first")
        #expect(spans.map(\.name) == ["Bank.Bank.Effect", "Bank.Bank.Effect"])
        #expect(spans.map { $0.attributes["mobius.attempt"] } == ["1.1", "1.1"])
        #expect(Set(spans.compactMap { $0.attributes["mobius.effect"] }).count == 2)
        #expect(spans.allSatisfy { $0.failure == nil })
        #expect(!worker.isGone)
    }

    @Test func anAttemptAfterALostOneIsASiblingOfIt() async throws {
        let coordinator = try bank.coordinator()
        let lost = try bank.worker("lost", hold: "before", environment: traced)
        try await bank.openAccounts(at: coordinator)
        try await transfer("t", "1,2")
        try await eventually("it runs") {
            try await self.bank.mobius("effects").said.contains { $0.contains("running") }
        }
        try await lost.kill()
        let second = try bank.worker("second", environment: traced)
        _ = try await bank.finish(coordinator)
        try await eventually("a span") { try self.spans().count == 1 }
        let span = try spans()[0]
        #expect(span.trace == trace)
        #expect(span.parent == client)
        #expect(span.attributes["mobius.attempt"] == "1.2")
        #expect(!second.isGone)
    }

    @Test func whatAFailedAttemptSaidIsOnItsSpan() async throws {
        let coordinator = try bank.coordinator(environment: traced)
        let worker = try bank.worker("w", ["--broken"], environment: traced)
        bank.order("audit 1")
        try await bank.place(at: coordinator)
        _ = try await bank.finish(coordinator)
        // One of the local handler in the coordinator, one of the worker's that failed.
        try await eventually("two spans") { try self.spans().count == 2 }
        #expect(try spans().compactMap(\.failure) == ["the archive is locked"])
        // Nobody traced the event itself, so each is the first of its trace.
        #expect(try spans().allSatisfy { $0.parent.isEmpty })
        #expect(!worker.isGone)
    }

    @Test func aWorkerThatDoesNotTraceBreaksNoTrace() async throws {
        let coordinator = try bank.coordinator()
        let silent = try bank.worker("silent", hold: "before")
        try await bank.openAccounts(at: coordinator)
        try await transfer("t")
        try await eventually("it runs") {
            try await self.bank.mobius("effects").said.contains { $0.contains("running") }
        }
        // It takes nothing after the first hop.
        silent.signal(SIGTERM)
        try await silent.log("draining")
        try silent.type("go\n")
        #expect(try await silent.end() == .exited(0))
        let worker = try bank.worker("traced", environment: traced)
        _ = try await bank.finish(coordinator)
        try await eventually("the second hop's span") { try !self.spans().isEmpty }
        let span = try #require(try spans().last)
        #expect(span.trace == trace)
        #expect(span.parent == client, "the first hop has none")
        #expect(!worker.isGone)
    }

    @Test func onlyTraceContextsAreHandedOn() {
        #expect(TraceParent.isTraceParent("00-\(trace)-\(client)-01"))
        #expect(TraceParent.isTraceParent("cc-\(trace)-\(client)-01-what-comes-later"))
        for text in ["", "00-\(trace)-\(client)", "00-\(trace)-\(client)-0g", "00-\(trace.uppercased())-\(client)-01"] {
            #expect(!TraceParent.isTraceParent(text))
        }
        // Nobody traces here.
        #expect(TraceParent.current == "")
    }
}
