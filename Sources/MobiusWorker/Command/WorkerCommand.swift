// Re-exported, because conforming types use members of ArgumentParser: an app needs no dependency of its own.
@_exported public import ArgumentParser
public import MobiusCore
import MobiusProcess
public import MobiusProgram

/// A worker as a command: declare a pool and its handlers, and mark the type with `@main`.
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
/// It has the options `--connect`, `--key`, `--concurrency`, `--drain-timeout` and `--log-level`, and those that the
/// type declares with ArgumentParser's property wrappers. It can be started before its coordinator, and keeps running
/// while the coordinator is down. SIGTERM or SIGINT drains it: it finishes its effects and exits. A second signal ends
/// it at once, and its effects run elsewhere.
///
/// Exit codes: 0 for an orderly stop, also if effects were cancelled after `--drain-timeout`; 64 for invalid usage; 69
/// for an endpoint that can never work, or if the coordinator does not admit the worker, for example because of another
/// protocol version; 77 if the coordinator does not admit the worker's key; 78 if the coordinator is on another host
/// and the worker has no key, or if the key cannot be used.
public protocol WorkerCommand: ParsableArguments, Sendable {
    /// The effects that the worker runs.
    ///
    /// `ErasedValue` for a worker that lists ``handlers``, and so is its `Event`.
    associatedtype Effect: Codable & Sendable = ErasedValue

    /// The events with which it answers.
    associatedtype Event: Codable & Sendable = ErasedValue

    /// The pool that the worker serves.
    static var pool: String { get }

    /// The first line of `--help`.
    ///
    /// The default names the pool.
    static var abstract: String { get }

    /// The handlers: exactly one route for each effect that the pool receives.
    ///
    /// It is read once.
    ///
    /// Synchronous handlers may block: they run on other threads, at most `--concurrency` at once. An effect may run
    /// again after a crash, so a handler must be safe to repeat.
    var handler: EffectRouter<Effect, Event> { get }

    /// The handlers for several programs, in place of ``handler``.
    @HandlersBuilder var handlers: Handlers { get }

    /// Changes settings that have no command-line option, such as further pools or the timing.
    ///
    /// Called once, before the worker runs.
    ///
    /// The default changes nothing.
    func configure(_ settings: inout WorkerSettings)

    /// Releases the resources of the handlers.
    ///
    /// Called once, after the worker has left.
    ///
    /// The default does nothing.
    func shutdown() async
}

extension WorkerCommand {
    /// A line that names the pool.
    public static var abstract: String { "Works for the pool \(pool): runs its effects and answers with events." }

    /// The ``handler`` alone.
    public var handlers: Handlers { Handlers { handler } }

    /// Changes nothing.
    public func configure(_ settings: inout WorkerSettings) {}

    /// Does nothing.
    public func shutdown() async {}

    /// Parses the command line and runs the worker; `@main` calls it.
    @concurrent public static func main() async {
        StandardOutput.checkAtExit()
        await WorkerRunner<Self>.main()
    }
}

extension WorkerCommand where Effect == ErasedValue, Event == ErasedValue {
    /// None: the worker has ``handlers``.
    public var handler: EffectRouter<Effect, Event> { EffectRouter() }
}
