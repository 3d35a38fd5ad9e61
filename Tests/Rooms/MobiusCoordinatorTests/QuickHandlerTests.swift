import FleetTestSupport
import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusWorker
import TestTraits
import Testing

/// Quick handlers run on the worker's socket thread, and one that takes long there is left to itself.
@Suite("Quick handlers", .patient)
struct QuickHandlerTests {
    @Test("a handler that takes long on the socket thread holds up nobody")
    func slowHandler() async throws {
        let fleet = Fleet()
        let worker = MoodyWorker(try await fleet.endpoint())
        let round = try await worker.blockTheSocketThread(of: fleet)
        // All the worker's threads but that one go on: it takes orders and reports what came of them.
        for number in 1...40 { try await fleet.ask(.event("beside \(number)")) }
        try await fleet.told.wait { told in (1...40).allSatisfy { n in told.contains { $0.hasSuffix("beside \(n)") } } }
        #expect(!fleet.told.elements.contains { $0.hasSuffix("slow \(round)") })
        worker.gate.signal()
        try await fleet.hears("slow \(round)")
        try await fleet.ask(.event("afterwards"))
        try await fleet.hears("afterwards")
        try await worker.leave()
        try await fleet.stop()
    }

    @Test("a worker leaves in time although a handler keeps its first socket thread")
    func leaving() async throws {
        let fleet = Fleet()
        let worker = MoodyWorker(try await fleet.endpoint())
        let round = try await worker.blockTheSocketThread(of: fleet)
        try await worker.leave()
        // Its effect goes to another worker, so the first one has said goodbye, and what its handler still says counts for nothing.
        worker.gate.signal()
        let other = MoodyWorker(try await fleet.endpoint())
        try await other.blocked.wait { !$0.isEmpty }
        other.gate.signal()
        try await fleet.hears("slow \(round)")
        try await other.leave()
        try await fleet.stop()
    }
}

/// A worker with one handler, which is quick but for words that begin with `slow`: those wait at its gate.
private final class MoodyWorker: Sendable {
    let gate = DispatchSemaphore(value: 0)
    /// The names of the threads on which a handler came to the gate.
    let blocked = Journey<String>()
    private let worker: Worker<Drill.Effect, Drill.Event>
    private let running: Task<Void, any Error>

    init(_ endpoint: String) {
        let router = EffectRouter<Drill.Effect, Drill.Event>()
            .routeCase(Drill.Effect.event).toEvent { [gate, blocked] words in
                if words.hasPrefix("slow") {
                    blocked.add(nameOfCurrentThread())
                    gate.wait()
                }
                return .answered(words)
            }
        let worker = Worker(
            WorkerSettings(
                pools: ["drill"], connect: endpoint, concurrency: 8, drainTimeout: .milliseconds(300), timing: .quick),
            handler: router, logger: .quiet)
        self.worker = worker
        running = Task { try await worker.run() }
    }

    deinit {
        running.cancel()
    }

    /// Shows the worker that its handlers are quick, and then blocks one, until one is blocked on the socket thread.
    ///
    /// - Returns: the number in the words of the one that is blocked there.
    func blockTheSocketThread(of fleet: Fleet) async throws -> Int {
        for round in 1...1000 {
            for number in 1...20 {
                try await fleet.ask(.event("quick \(round) \(number)"))
                try await fleet.hears("quick \(round) \(number)")
            }
            try await fleet.ask(.event("slow \(round)"))
            try await blocked.wait { $0.count == round }
            if blocked.elements.last == "worker" { return round }
            gate.signal()
            try await fleet.hears("slow \(round)")
        }
        Issue.record("no handler ever ran on the socket thread")
        throw CancellationError()
    }

    func leave() async throws {
        worker.drain()
        try await running.value
    }
}

private func nameOfCurrentThread() -> String {
    let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return name?.trimmingCharacters(in: .newlines) ?? ""
}
