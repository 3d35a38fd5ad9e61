/// One line of the result: a measured value beside its floor.
struct Row: Codable {
    /// The benchmark's name.
    let name: String
    /// The median of ours over all rounds; where the row says so, of what ours has beyond the floor.
    let value: Double
    /// What value and floor are measured in.
    let unit: String
    /// The median of the floor over all rounds, where there is one.
    let floor: Double?
    /// The median over the rounds of ours divided by the floor that ran right before it: 1 if both are 0, none if the
    /// floor alone is.
    let ratio: Double?
    /// CPU time of both processes in microseconds per effect, where it says something.
    let cpu: Double?
    /// The coordinator's part of it.
    let coordinatorCPU: Double?
    /// The same of the floor's two processes.
    let floorCPU: Double?
    /// What it must reach, where something was promised.
    var target: Target?
}

/// What one run said.
struct Sample {
    let value: Double
    /// Of both processes, in microseconds per effect.
    var cpu: Double?
    /// The coordinator's part of it.
    var coordinatorCPU: Double?
}

extension Row {
    /// The row of rounds in which floor and ours ran alternately.
    init(
        _ name: String, unit: String, rounds: [(floor: Sample, ours: Sample)], isBeyondFloor: Bool = false,
        goal: Goal? = nil
    ) {
        self.name = name
        self.unit = unit
        value = rounds.map { $0.ours.value - (isBeyondFloor ? $0.floor.value : 0) }.median
        floor = rounds.map(\.floor.value).median
        let ratios = rounds.map { $0.ours.value == $0.floor.value ? 1 : $0.ours.value / $0.floor.value }
        ratio = ratios.allSatisfy(\.isFinite) ? ratios.median : nil
        cpu = Self.median(rounds.compactMap(\.ours.cpu))
        coordinatorCPU = Self.median(rounds.compactMap(\.ours.coordinatorCPU))
        floorCPU = Self.median(rounds.compactMap(\.floor.cpu))
        target = goal?.target(value: value, ratio: ratio)
    }

    /// The row of rounds of something that has no floor.
    init(_ name: String, unit: String, values: [Double], goal: Goal? = nil) {
        self.name = name
        self.unit = unit
        value = values.median
        (floor, ratio, cpu, coordinatorCPU, floorCPU) = (nil, nil, nil, nil, nil)
        target = goal?.target(value: value, ratio: nil)
    }

    private static func median(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.median
    }
}

extension [Double] {
    /// The middle value, or the mean of the two middle ones; there must be one.
    var median: Double {
        precondition(!isEmpty, "A median needs at least one value.")
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
