import ArgumentParser
import EffectLoop
import Foundation
import Measuring
import MobiusCoordinator
import MobiusCore
import MobiusJournalPostgreSQL

/// Runs the stages of ``EffectLoop`` with one worker and prints one line of JSON: effects, seconds, CPU, latencies.
@main
struct EffectCoordinator: CoordinatorCommand {
    typealias Program = EffectLoop

    static let name = "effect-coordinator"
    static let abstract = "Measures how fast effects go to a worker and back."

    @Option(help: "How many effects with a full window.")
    var effects = 200_000

    @Option(help: "How many effects are outstanding.")
    var window = 1000

    @Option(help: "How many effects one at a time.")
    var singles = 0

    @Flag(help: "Keep the window full until it is stopped, also after another coordinator of the same journal.")
    var endless = false

    var routes: Routes {
        let finished = Stage.finished
        return Routes()
            .routeCase(EffectLoop.Effect.fetch).toWorkers("effects", timeout: nil) { _, failure in
                .failed(reason: "\(failure)")
            }
            .routeCase(EffectLoop.Effect.finish).to { failure in finished.yield(failure) }
    }

    func configure(_ settings: inout CoordinatorSettings) {
        settings.maximumConnections = 12_000
        settings.journalOpeners = [.postgreSQL]
    }

    func run(_ loop: LoopHandle<EffectLoop>) async throws {
        guard !endless else {
            // Only the first coordinator's is applied.
            try await loop.send(.started(total: 1 << 50, window: window), key: "endless")
            return try await loop.untilStopped()
        }
        func stage(_ count: Int, window: Int) async throws -> Duration {
            let start = ContinuousClock.now
            try await loop.send(.started(total: count, window: window))
            for await failure in Stage.outcomes {
                guard let failure else { return start.duration(to: .now) }
                throw StageFailure(description: "effect-coordinator: an effect failed: \(failure)")
            }
            throw CancellationError()
        }

        _ = try await stage(window, window: window)  // the worker has come, and everything has run once
        let cpuBefore = CPUTime.ofThisProcess()
        let seconds = effects > 0 ? try await stage(effects, window: window) / .seconds(1) : 0
        let cpu = effects > 0 ? (CPUTime.ofThisProcess() - cpuBefore) * 1e6 / Double(effects) : 0

        var laps: [Duration] = []
        if singles > 0 {
            Stopwatch.shared.start(expecting: singles + 2)
            _ = try await stage(singles, window: 1)
            laps = Stopwatch.shared.stop()
        }
        let line = Result(
            effects: effects, seconds: seconds, cpu: cpu, p50: microseconds(laps, 0.5), p99: microseconds(laps, 0.99))
        print(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
    }

    /// What is printed: the floor prints the same.
    private struct Result: Encodable {
        let effects: Int
        let seconds: Double
        /// Of this process, in microseconds per effect.
        let cpu: Double
        let p50: Double
        let p99: Double
    }

    private func microseconds(_ laps: [Duration], _ quantile: Double) -> Double {
        laps.isEmpty ? 0 : laps[Int(Double(laps.count - 1) * quantile)] / .microseconds(1)
    }
}

/// How a stage tells its end from the route to `run`.
private enum Stage {
    static let (outcomes, finished) = AsyncStream.makeStream(of: String?.self)
}

private struct StageFailure: Error, CustomStringConvertible {
    let description: String
}
