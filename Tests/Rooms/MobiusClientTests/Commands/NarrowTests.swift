import FleetTestSupport
import MobiusProcess
import MobiusWire
import TestTraits
import Testing

@Suite("Tables with long names fit 80 columns", .patient)
struct NarrowTests {
    private let fleet = TestFleet()
    private let loop: LoopID
    private let name = String(repeating: "customer-", count: 14)

    init() throws {
        loop = try #require(LoopID(name))
    }

    /// Runs a command as it is, and with --wide; returns the lines of both.
    private func tables(_ arguments: String..., connect endpoint: String) async throws -> ([String], [String]) {
        let short = try await Command.mobius(arguments, connect: endpoint, columns: 80)
        #expect(short.end == .exited(0), "\(short.errors)")
        for line in short.output { #expect(TerminalText.width(line) <= 80, "\(line)") }
        let wide = try await Command.mobius(arguments + ["--wide"], connect: endpoint, columns: 80)
        #expect(wide.output.count == short.output.count)
        #expect(wide.errors.filter { $0.contains("--wide") } == [])
        return (short.output, wide.output)
    }

    @Test("effects, whose numbers stay whole")
    func effects() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        let id = EffectID(loop: loop, sequence: 18_446_744_073_709_551_615, index: 4_294_967_295)
        fleet.change { state in
            state.effects = [
                EffectSummary(
                    id: id, kind: PayloadKind(type: "Greeter.Effect"), size: 15,
                    pool: String(repeating: "p", count: 60), phase: .waiting, age: 250,
                    reason: String(repeating: "why ", count: 30))
            ]
        }
        let (short, wide) = try await tables("effects", connect: coordinator.endpoint)
        #expect(short.count == 2 && short[1].contains("…"))
        #expect(short[1].contains("/18446744073709551615/4294967295  waiting"))
        #expect(wide[1].hasPrefix("\(id)  "))
        let told = try await Command.mobius(["effects"], connect: coordinator.endpoint, columns: 80)
        #expect(told.errors == ["… in a name stands for what does not fit: --wide shows it."])
    }

    @Test("dead letters")
    func dead() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.bury(2, loop: loop, reason: String(repeating: "because ", count: 20))
        let (short, wide) = try await tables("dead", "list", connect: coordinator.endpoint)
        #expect(short.count == 3)
        #expect(short[1].contains("/1/0  2026-03-01T12:00:00Z  greeters"), "\(short[1])")
        #expect(wide[1].hasPrefix("\(name)/1/0  "))
    }

    @Test("held loops")
    func quarantine() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.hold(loop)
        let (short, wide) = try await tables("quarantine", "list", connect: coordinator.endpoint)
        #expect(short.count == 2 && short[1].contains("…"))
        #expect(wide[1].hasPrefix(name))
    }

    @Test("loops")
    func loops() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.change { [loop] state in
            let version = ModelVersion(journal: JournalID(high: 1, low: 2), sequence: 7)
            state.models[loop] = (
                ModelSummary(loop: loop, version: version, build: "b"),
                Payload(kind: PayloadKind(type: "M"), bytes: [])
            )
        }
        let (short, wide) = try await tables("loops", connect: coordinator.endpoint)
        #expect(short.count == 2 && short[1].hasSuffix("-") && short[1].contains("…"), "\(short)")
        #expect(wide[1].hasSuffix(name))
    }

    @Test("the status with its loops, pools and workers")
    func status() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.change { [loop, name] state in
            var status = FleetStatus.example
            status.loops.append(LoopStatus(loop: loop, sequence: .max, pending: .max))
            status.loopCount = 4
            status.pools.append(PoolStatus(pool: name, workers: 2, waiting: 1 << 40, running: 6, credit: 3))
            status.workers.append(
                WorkerStatus(
                    incarnation: Incarnation(high: 1, low: 1), pools: [name, name], build: name, running: 1, free: 3,
                    silence: 40, name: name))
            state.status = status
        }
        let (short, wide) = try await tables("status", connect: coordinator.endpoint)
        #expect(short.contains { $0.contains("18446744073709551615") && $0.contains("…") })
        #expect(wide.contains { $0.hasPrefix(name) && $0.contains("18446744073709551615") })
    }

    @Test("a history, whose effects keep their numbers")
    func history() async throws {
        let coordinator = try await TestCoordinator(host: fleet.host)
        fleet.change { [loop] state in
            let id = EffectID(loop: loop, sequence: 5, index: 1)
            let effect = HistoryPayload(kind: PayloadKind(type: "Effect"), size: 1 << 20, bytes: nil)
            state.history[loop] = [
                HistoryEntry(
                    HistoryPlace(sequence: 5), of: id.loop, .outside, time: TestFleet.time, epoch: 1, build: "b",
                    key: "k",
                    event: effect, effects: [HistoryEffect(id, effect: effect)], effectCount: 1),
                HistoryEntry(
                    HistoryPlace(sequence: 5, part: 1), of: id.loop, .deadLettered, epoch: 1, build: "b", effect: id,
                    failures: 1,
                    reason: String(repeating: "because ", count: 20)),
            ]
        }
        let (short, wide) = try await tables("history", name, "--from", "0", connect: coordinator.endpoint)
        #expect(short.contains { $0.hasPrefix("  -> ") && $0.contains("…") && $0.contains("/5/1  Effect") })
        #expect(short.contains { $0.hasPrefix("  * ") && $0.contains("/5/1 failed for good: because") })
        #expect(wide.contains { $0.hasPrefix("  -> \(name)/5/1  Effect") })
    }
}
