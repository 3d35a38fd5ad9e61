import Foundation

/// How fast a coordinator comes back: the whole process, from its start until its model is there.
enum RecoveryBenchmark {
    private static let events = 1_000_000

    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        try programs.withJournal { journal in
            try programs.writeSmallJournal(journal, events: events)
            let pairs = try (0..<rounds).map { _ in
                let reading = try programs.readSmallJournal(journal)
                var seen = 0
                let time = try ContinuousClock().measure { seen = try programs.recoverSmallJournal(journal) }
                guard seen == events else { throw BenchError("\(seen) of \(events) events came back.") }
                return (floor: Sample(value: reading), ours: Sample(value: Double(events) / (time / .seconds(1))))
            }
            return [Row("recovery", unit: "events/s", rounds: pairs, goal: .atLeast(300_000))]
        }
    }
}

/// The coordinator's machine alone.
enum MachineBenchmark {
    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        try [1, 256].map { window in
            let values = try (0..<rounds).map { _ in try programs.machineTiming(window: window) }
            return Row("machine-window-\(window)", unit: "µs", values: values)
        }
    }
}

/// What one frame may cost everybody else, at most.
enum WorstFrameBenchmark {
    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let values = try (0..<rounds).map { _ in try programs.worstFrame() }
        return [Row("worst-frame", unit: "ms", values: values, goal: .atMost(50))]
    }
}
