import LoopCases

/// Times a case of `LoopCases` beside its floor: `loop-timing NAME`.
///
/// Prints one line of JSON with nanoseconds per event. Batches of floor and ours take turns, so that what else goes on
/// in the machine meets both; the figures are medians over the batches.
@main
enum LoopTiming {
    private static let batches = 101

    static func main() {
        guard CommandLine.arguments.count == 2,
            let chosen = LoopCase.all.first(where: { $0.name == CommandLine.arguments[1] })
        else { fatalError("usage: loop-timing NAME, one of \(LoopCase.all.map(\.name).joined(separator: ", "))") }
        let (floor, ours) = (chosen.makeFloor(), chosen.makeOurs())
        var times: (floor: [Double], ours: [Double]) = ([], [])
        for round in 0...batches {
            let pair = (time(floor, chosen.batch), time(ours, chosen.batch))
            // The first round warms caches and branch predictors up.
            guard round > 0 else { continue }
            times.floor.append(pair.0)
            times.ours.append(pair.1)
        }
        print("{\"floor\": \(times.floor.sorted()[batches / 2]), \"ours\": \(times.ours.sorted()[batches / 2])}")
    }

    private static func time(_ batch: LoopCase.Batch, _ events: Int) -> Double {
        ContinuousClock().measure { batch(events) } / .nanoseconds(1) / Double(events)
    }
}
