import EffectLoop
import MobiusCore
import MobiusWorker

/// Answers every task at once, so that only the way there and back is measured.
@main
struct EffectWorker: WorkerCommand {
    static let pool = "effects"

    var handler: EffectRouter<EffectLoop.Effect, EffectLoop.Event> {
        EffectRouter().routeCase(EffectLoop.Effect.fetch).toEvent { _, attempt in
            .fetched(etag: "0123456789abcdef0123456789abcdef", status: 200, answer: attempt + 1, next: "none")
        }
    }
}
