// Re-exported, because conforming takes ArgumentParser's members: an app needs no dependency of its own for them.
@_exported public import ArgumentParser
import MobiusCommand
public import MobiusCore

/// A worker as a command: name a pool, write its handlers, put `@main` on it.
///
/// ```swift
/// struct GreeterWorker: WorkerCommand {
///     static let pool = "greeters"
///
///     var handler: EffectRouter<Greeter.Effect, Greeter.Event> {
///         EffectRouter().routeCase(Greeter.Effect.greet).toEvent { name in .greeted(name) }
///     }
/// }
/// ```
/// It has the options `--connect`, `--key`, `--concurrency`, `--drain-timeout` and `--log-level`, and those that the type declares
/// with ArgumentParser's property wrappers. It may be started before its coordinator and outlive it. SIGTERM and SIGINT
/// let it finish what it holds; a second signal ends it at once, and its effects run elsewhere.
///
/// Exit codes: 0 orderly stop, also when what it held was given up after `--drain-timeout`; 64 usage; 69 an endpoint that can
/// never work, or a coordinator that does not admit it, for example because of another version of the protocol; 77 the
/// coordinator does not admit its key; 78 the coordinator is on another host and there is no key, or the key cannot be used.
public protocol WorkerCommand: ParsableArguments, Sendable {
    /// What it is asked to do.
    associatedtype Effect: Codable & Sendable

    /// What it answers.
    associatedtype Event: Codable & Sendable

    /// The pool that it serves.
    static var pool: String { get }

    /// One line for `--help`.
    static var abstract: String { get }

    /// Its handlers: exactly one route for each effect that its pool receives. Read once.
    ///
    /// Plain handlers may block: they run on threads of their own, at most `--concurrency` at once. An effect may come
    /// again after a crash, so what a handler does should be safe to repeat.
    var handler: EffectRouter<Effect, Event> { get }

    /// Changes what the command line has no option for: further pools, timing. Called once, before anything runs.
    ///
    /// The default changes nothing.
    func configure(_ settings: inout WorkerSettings)

    /// Called once when the worker has left, to close what the handlers held.
    func shutdown() async
}

extension WorkerCommand {
    /// Names the pool.
    public static var abstract: String { "Works for the pool \(pool): runs its effects and answers with events." }

    /// Changes nothing.
    public func configure(_ settings: inout WorkerSettings) {}

    /// Does nothing.
    public func shutdown() async {}

    /// Parses the command line and runs the worker; `@main` calls it.
    @concurrent public static func main() async {
        await WorkerRunner<Self>.main()
    }
}
