import FleetTestSupport
import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusWire
import Synchronization

/// A runner of handlers of texts, whose answers are noted as words: `1: text`, `1: text, end`, `1: end`,
/// `1: failed: reason`.
final class RunnerStage: Sendable {
    enum Effect: Codable, Sendable, Equatable {
        case work(String)
        case stop(String)
    }

    typealias Event = String
    typealias Router = EffectRouter<Effect, Event>

    let answers: Journey<String>
    let failures: Journey<HandlerFailure>
    private let clock: Box
    // Used by the test's one thread at a time, as a socket thread does.
    nonisolated(unsafe) private let runner: EffectRunner

    init(limit: Int = 4, _ router: Router) {
        let (answers, failures) = (Journey<String>(), Journey<HandlerFailure>())
        (self.answers, self.failures) = (answers, failures)
        let clock = Box()
        self.clock = clock
        runner = EffectRunner(
            router, threads: HandlerThreads(name: "test", limit: limit), clock: { clock.moment.withLock { $0 } }
        ) { outcome in
            switch outcome {
            case .report(let id, let event, let final):
                let text = event.map { (try? TypedCodec<Event>.json().decode($0)) ?? "unreadable" }
                let words = [text, final ? "end" : nil].compactMap(\.self).joined(separator: ", ")
                answers.add("\(id.effect.sequence): \(words)")
            case .failed(let id, let failure):
                failures.add(failure)
                answers.add("\(id.effect.sequence): failed: \(failure)")
            }
        }
    }

    /// Where its clock's time is kept.
    final class Box: Sendable {
        let moment = Lock(Moment(nanoseconds: 0))
    }

    static func id(_ number: Int) -> AttemptID {
        AttemptID(
            effect: EffectID(loop: .main, sequence: UInt64(number), index: 0), attempt: Attempt(epoch: 2, number: 7))
    }

    /// Runs effects, counted on from `first`, in one batch.
    func run(_ effects: Effect..., from first: Int = 1, timeout: UInt32 = 0) throws {
        runner.run(
            try effects.enumerated().map { index, effect in
                EffectOrder(
                    id: Self.id(first + index), timeout: timeout, effect: try TypedCodec<Effect>.json().encode(effect))
            })
    }

    func cancel(_ number: Int) { runner.cancel(Self.id(number)) }

    func ended(_ number: Int) { runner.ended(Self.id(number)) }

    /// The time of its clock.
    func setClock(_ moment: Moment) { clock.moment.withLock { $0 = moment } }

    /// When its handlers last reported progress, by the effect's number.
    var progress: [UInt64: Moment] {
        Dictionary(uniqueKeysWithValues: runner.progress.map { ($0.key.effect.sequence, $0.value) })
    }
}
