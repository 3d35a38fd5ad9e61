/// The fast path from an effect to its handler: without a lookup, and for synchronous closures without an allocation.
///
/// It exists for routers with only `routeCase` routes. An effect takes it once its case is known.
@usableFromInline
final class DirectRoutes<Effect, Event>: Sendable {
    /// Runs the handler of an effect of the route's case; `false` if that is impossible in this connection.
    @usableFromInline
    typealias Run = @Sendable (Effect, RecognisedCase, ConnectionEffects<Event>) -> Bool

    /// Calls a synchronous closure, which is the whole handler, for an effect of the route's case, and passes on the
    /// event that it returns, if any.
    // Not returned: the result would be an optional, whose type generic code looks up at every use.
    @usableFromInline
    typealias Plain = @Sendable (Effect, RecognisedCase, _ answer: (Event) -> Void) -> Void

    /// A structure, because an array of bare closures stores a thunk of each, which is allocated at every use.
    private struct PlainHandler {
        let call: Plain?
    }

    @usableFromInline let witnesses: EnumWitnesses
    @usableFromInline let verdicts: CaseVerdicts
    /// By route; `nil` for routes that need more than running the handler.
    @usableFromInline let runs: [Run?]
    /// By route; `nil` for routes that need more than a call.
    // Behind a pointer, because an array of a generic type would be looked up at every effect; it never changes.
    private nonisolated(unsafe) let plain: UnsafeMutableBufferPointer<PlainHandler>

    init(_ routes: [Route<Effect, Event>], witnesses: EnumWitnesses, verdicts: CaseVerdicts) {
        runs = routes.map(\.direct)
        plain = .allocate(capacity: routes.count)
        _ = plain.initialize(from: routes.map { PlainHandler(call: $0.plain) })
        self.witnesses = witnesses
        self.verdicts = verdicts
    }

    deinit {
        plain.deinitialize()
        plain.deallocate()
    }

    /// Runs the handler of `effect`, if its case is known and has a direct handler.
    @inlinable
    func run(_ effect: Effect, in effects: ConnectionEffects<Event>) -> Bool {
        let tag = witnesses.tag(of: effect)
        let verdict = verdicts.verdict(on: tag)
        guard let index = verdict.route, let run = runs[index] else { return false }
        return run(effect, RecognisedCase(tag: tag, isIndirect: verdict.isIndirect), effects)
    }

    /// The synchronous closure of `effect`, if its case is known and has one.
    func plain(_ effect: Effect) -> (call: Plain, of: RecognisedCase)? {
        let tag = witnesses.tag(of: effect)
        let verdict = verdicts.verdict(on: tag)
        guard let index = verdict.route, let call = plain[index].call else { return nil }
        return (call, RecognisedCase(tag: tag, isIndirect: verdict.isIndirect))
    }
}
