/// Times the coordinator's state machine alone: `machine-timing WINDOW`, or `machine-timing worst-frame`.
///
/// Prints microseconds per effect, from its commit over order, report and event to the next commit, of the fastest of
/// some runs: everything slower was something else's doing. Of frames, it prints milliseconds of the slowest.
@main
enum MachineTiming {
    private static let runs = 5
    private static let effects = 200_000

    static func main() {
        if CommandLine.arguments.dropFirst() == ["worst-frame"] { return print(WorstFrame.time()) }
        guard CommandLine.arguments.count == 2, let window = Int(CommandLine.arguments[1]), window > 0 else {
            fatalError("usage: machine-timing WINDOW | worst-frame")
        }
        let times = (0..<runs).map { _ in
            var dialogue = Dialogue(window: window)
            return ContinuousClock().measure { dialogue.go(on: effects) } / .microseconds(1) / Double(effects)
        }
        print(times.min() ?? 0)
    }
}
