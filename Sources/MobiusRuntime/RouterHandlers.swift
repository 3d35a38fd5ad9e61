import MobiusCodec
import MobiusCore
import MobiusProgram
import MobiusWire

/// The handlers of one router: from payload to effect, from effect to handler, and from events to payloads.
final class RouterHandlers<Effect: Codable & Sendable, Event: Codable & Sendable>: TypedHandlers {
    /// Holds the effects that wait for their turn or can be cancelled.
    private let router: OpenRouter<Effect, Event>
    private let effects = TypedCodec<Effect>.json()
    /// Events are encoded as their effects are, in the coding that the program has chosen.
    private let events = TypedCodec<Event>.json()
    private let executor: HandlerExecutor
    private static var keptCapacity: Int { 1024 }

    init(_ router: EffectRouter<Effect, Event>, in executor: HandlerExecutor) {
        self.router = OpenRouter(router)
        self.executor = executor
    }

    var contentTypes: [String] { effects.contentTypes.filter(events.contentTypes.contains) }

    var effectKinds: [PayloadKind] { effects.kinds }

    func emptyCopy() -> any TypedHandlers {
        router.close()
        return RouterHandlers(router.router, in: executor)
    }

    func start(_ run: EffectRun, _ scratch: inout CodingScratch) {
        var bytes = run.takeBytes()
        let effect: Effect
        do {
            effect = try effects.decode(bytes, of: run.kind, scratch: &scratch)
        } catch {
            return run.fail("the effect cannot be decoded: \(error)")
        }
        // A plain handler's event is encoded into the effect's buffer, unless it is large: the buffer is kept while the
        // handler blocks.
        if bytes.capacity > Self.keptCapacity { bytes = [] }
        bytes.removeAll(keepingCapacity: true)
        if let plain = router.plain(effect) {
            return end(run, &bytes, &scratch) { plain.call(effect, plain.of, $0) }
        }
        switch router.resolve(effect) {
        case .one(.handler(let handler)):
            if let work = handler.plain {
                end(run, &bytes, &scratch) { answer in if let event = work() { answer(event) } }
            } else {
                start(handler, run)
            }
        case .one(.cancels(let route)):
            router.cancel(where: route.matches)
            run.end(with: nil)
        case .one(.remote), .none, .many:
            let complaint = router.router.complaint(about: effect)
            run.fail(complaint ?? "this process has no handler of its own for the effect")
        }
    }

    /// Runs a handler that is a plain closure and sends at most one event.
    private func end(
        _ run: EffectRun, _ bytes: inout [UInt8], _ scratch: inout CodingScratch,
        _ work: (_ answer: (Event) -> Void) -> Void
    ) {
        run.starts()
        var answers = false
        run.surround {
            work { event in
                answers = true
                do throws(CodingFailure) {
                    run.end(
                        with: try events.encode(event, inCodingOf: run.kind, reusing: &bytes, scratch: &scratch))
                } catch {
                    run.fail(error)
                }
            }
        }
        if !answers { run.end(with: nil) }
    }

    /// Runs a handler that may send events at any time.
    private func start(_ handler: HandlerRoute<Event>, _ run: EffectRun) {
        let callback = EffectCallback<Event>(
            onFinish: { self.finish(run, with: $0) }, onSend: { self.send($0, of: run) }, pace: { await run.room() })
        var handler = handler.endingWhenDisposed
        if handler.execution == .concurrently {
            handler.around = { start in Self.start(run, start) }
            run.starts()
        } else {
            handler.around = { start in
                run.starts()
                return Self.start(run, start)
            }
        }
        handler.executor = executor.executor
        let disposable = handler.run(callback)
        if handler.kind == .endless { executor.onEndlessStart?(run.attemptID) }
        run.hasStarted(disposable, hasEnded: { callback.ended })
    }

    private static func start(_ run: EffectRun, _ start: () -> any Disposable) -> any Disposable {
        var disposable: (any Disposable)?
        run.surround { disposable = start() }
        return disposable ?? EmptyDisposable()
    }

    private func send(_ event: Event, of run: EffectRun) {
        guard !run.isOver else { return }
        do throws(CodingFailure) {
            run.report(try events.encode(event, inCodingOf: run.kind))
        } catch {
            run.fail(error)
        }
    }

    private func finish(_ run: EffectRun, with last: [Event]) {
        if let failure = run.failed { return run.end(with: failure) }
        for event in last.dropLast() { send(event, of: run) }
        guard let event = last.last else { return run.end(with: nil) }
        do throws(CodingFailure) {
            run.end(with: try events.encode(event, inCodingOf: run.kind))
        } catch {
            run.fail(error)
        }
    }
}

extension EffectRun {
    fileprivate func fail(_ reason: String) {
        end(with: HandlerFailure(reason))
    }

    fileprivate func fail(_ error: CodingFailure) {
        fail("the handler's event cannot be encoded: \(error)")
    }
}
