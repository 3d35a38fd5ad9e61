import MobiusCore
import MobiusWire
import Synchronization

/// How the closures of `.toWork` run, wherever their router does.
enum Work {
    /// Does the work of one effect and tells how it went: by events and the callback's end, or as a failure.
    static func perform<Event>(
        _ callback: EffectCallback<Event>, file: StaticString, line: UInt,
        _ work: (EffectContext) async throws -> Event?
    ) async {
        guard let context = EffectContext.current else {
            return await performInPlainLoop(callback, file: file, line: line, work)
        }
        do {
            callback.end(with: try await work(context).map { [$0] } ?? [])
        } catch {
            // Nobody waits for it, and it said no more than that.
            if !(error is CancellationError && context.isCancelled) { context.fail(HandlerFailure(error)) }
            callback.end()
        }
    }

    /// The same without anybody who could try again or hear of a failure.
    private static func performInPlainLoop<Event>(
        _ callback: EffectCallback<Event>, file: StaticString, line: UInt,
        _ work: (EffectContext) async throws -> Event?
    ) async {
        let context = EffectContext(id: PlainEffects.next())
        do {
            let event = try await withTaskCancellationHandler {
                try await EffectContext.$current.withValue(context) { try await work(context) }
            } onCancel: {
                context.giveUp()
            }
            guard !Task.isCancelled else { return }
            callback.end(with: event.map { [$0] } ?? [])
        } catch {
            guard !Task.isCancelled else { return }
            MobiusHooks.errorHandler(
                """
                An effect's work failed in a loop that has nobody who could try it again or hear of it: \
                \(HandlerFailure(error)). Run it in a worker, or answer failures with events, by .toEvent.
                """, file, line)
        }
    }
}

/// Names for effects of plain loops, which have none: new ones in every process, so that nobody takes an effect for one
/// that was done before.
private enum PlainEffects {
    private static let last = Atomic<UInt64>(0)
    private static let loop: LoopID? = {
        var random = SystemRandomNumberGenerator()
        let words: [UInt64] = [random.next(), random.next()]
        return LoopID("plain-" + words.map { String($0, radix: 16) }.joined())
    }()

    static func next() -> EffectID {
        EffectID(loop: loop ?? .main, sequence: last.add(1, ordering: .relaxed).newValue, index: 0)
    }
}
