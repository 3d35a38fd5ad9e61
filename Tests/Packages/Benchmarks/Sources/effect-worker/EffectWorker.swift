import EffectLoop
import MobiusCore
import MobiusWorker

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Answers every task at once, so that only the way there and back is measured.
@main
struct EffectWorker: WorkerCommand {
    static let pool = "effects"

    var handler: EffectRouter<EffectLoop.Effect, EffectLoop.Event> {
        EffectRouter().routeCase(EffectLoop.Effect.fetch).toEvent { _, attempt in
            EffectTimes.note()
            return .fetched(
                etag: "0123456789abcdef0123456789abcdef", status: 200, answer: attempt + 1, next: "none")
        }
    }
}

/// Writes when each effect comes to the standard error output, if the environment has `EFFECT_TIMES`.
private enum EffectTimes {
    private static let areWritten = getenv("EFFECT_TIMES") != nil

    static func note() {
        guard areWritten else { return }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let line = Array("effect \(time.tv_sec * 1_000_000_000 + time.tv_nsec)\n".utf8)
        // In one piece, among the lines of the log.
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
