/// The shortest way from an effect to its handler: nothing is asked, and for plain closures nothing is allocated.
///
/// It is there for routers all of whose routes go by the case. An effect takes it once its case is known.
@usableFromInline
final class DirectRoutes<Effect, Event>: Sendable {
    /// Runs a handler, from an effect of the route's case on; `false` if it cannot be run so in this connection.
    @usableFromInline
    typealias Run = @Sendable (Effect, RecognisedCase, ConnectionEffects<Event>) -> Bool

    /// Calls a plain closure, which is all of the handler, from an effect of the route's case on, and hands on what it
    /// answers, if it does.
    // Not as a result: that would be an optional, whose type generic code looks up at every use.
    @usableFromInline
    typealias Plain = @Sendable (Effect, RecognisedCase, _ answer: (Event) -> Void) -> Void

    /// A structure, because memory for bare closures holds a thunk of each, which is allocated at every use.
    private struct PlainHandler {
        let call: Plain?
    }

    @usableFromInline let witnesses: EnumWitnesses
    @usableFromInline let verdicts: CaseVerdicts
    /// By route; `nil` for routes whose handlers do not just run.
    @usableFromInline let runs: [Run?]
    /// By route; `nil` for routes whose handlers need more than to be called.
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

    /// Runs the handler of `effect`, if it has one that just runs and its case is known.
    @inlinable
    func run(_ effect: Effect, in effects: ConnectionEffects<Event>) -> Bool {
        let tag = witnesses.tag(of: effect)
        let verdict = verdicts.verdict(on: tag)
        guard let index = verdict.route, let run = runs[index] else { return false }
        return run(effect, RecognisedCase(tag: tag, isIndirect: verdict.isIndirect), effects)
    }

    /// The plain closure of `effect`, if it has one and its case is known.
    func plain(_ effect: Effect) -> (call: Plain, of: RecognisedCase)? {
        let tag = witnesses.tag(of: effect)
        let verdict = verdicts.verdict(on: tag)
        guard let index = verdict.route, let call = plain[index].call else { return nil }
        return (call, RecognisedCase(tag: tag, isIndirect: verdict.isIndirect))
    }
}
