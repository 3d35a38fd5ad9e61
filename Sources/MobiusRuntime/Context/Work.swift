import MobiusCore
import MobiusWire
import Synchronization

/// Runs the closures of `.toWork`, with and without a runtime.
enum Work {
    /// Runs the closure for one effect, then ends the callback with its event or records its failure.
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
            // A CancellationError of a cancelled effect is no failure.
            if !(error is CancellationError && context.isCancelled) { context.fail(HandlerFailure(error)) }
            callback.end()
        }
    }

    /// The same without a runtime that could retry the effect or receive its failure.
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
                An effect's work failed in a loop without a runtime, so nothing can retry it or receive the failure: \
                \(HandlerFailure(error)). Run it in a worker, or turn failures into events with .toEvent.
                """, file, line)
        }
    }
}

/// Ids for effects of plain loops, which have none.
///
/// They differ in every process, so that no effect is mistaken for an earlier one.
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
