public import Dispatch
public import Foundation
import Synchronization

/// Starts and stops loops for an app with views; each start continues from the last model.
///
/// ```swift
/// let controller = Mobius.loop(update: update, effectHandler: router).makeController(from: Reader())
/// controller.connectView(view)  // a Connectable: it accepts models and sends events
/// controller.start()
/// controller.stop()  // the model stays, for the next start
/// ```
/// Make one with ``Mobius/Builder/makeController(from:initiate:qos:)``. The loop runs on the loop queue: update, effect
/// handlers and event sources are called there, in the order in which events were sent. Views get models on the view
/// queue, each of them, in order. The controller may be used from any thread, but not on the loop queue. Misuse, such
/// as starting it twice, is a programmer error, reported through ``MobiusHooks``.
public final class MobiusController<Model, Event, Effect>: Sendable {
    private enum Phase {
        case stopped(Model)
        case starting(Model)
        case running(ControllerRun<Model, Event, Effect>)
        case stopping(ControllerRun<Model, Event, Effect>)
    }

    private struct State {
        var phase: Phase
        var views: [(id: UUID, view: AnyConnectable<Model, Event>)] = []
        var watchers: [ObjectIdentifier: ModelWatcher<Model>] = [:]
    }

    /// Begins a run, on the loop queue, with the queues of loop and views.
    @usableFromInline
    typealias BeginRun =
        @Sendable (
            First<Model, Effect>, [AnyConnectable<Model, Event>], _ loopQueue: DispatchQueue, _ viewQueue: DispatchQueue
        ) -> ControllerRun<Model, Event, Effect>

    private let beginRun: BeginRun
    private let logger: AnyMobiusLogger<Model, Event, Effect>?
    private let initiate: Initiate<Model, Effect>?
    private let loopQueue: DispatchQueue
    private let viewQueue: DispatchQueue
    /// Marks code that runs on the loop queue.
    private let loopQueueKey = DispatchSpecificKey<Void>()
    private let lock = Lock<Void>(())
    // Unchecked, because models need not be `Sendable` (see ``UncheckedTransfer``): reached with the lock held.
    nonisolated(unsafe) private var state: State

    @usableFromInline
    init(
        from model: Model, initiate: Initiate<Model, Effect>?, logger: AnyMobiusLogger<Model, Event, Effect>?,
        loopQueue: DispatchQueue, viewQueue: DispatchQueue, beginRun: @escaping BeginRun
    ) {
        self.beginRun = beginRun
        self.logger = logger
        self.initiate = initiate
        self.loopQueue = DispatchQueue(label: "mobius.loop", target: loopQueue)
        self.viewQueue = DispatchQueue(label: "mobius.view", target: viewQueue)
        state = State(phase: .stopped(model))
        self.loopQueue.setSpecific(key: loopQueueKey, value: ())
    }

    deinit {
        if case .running(let run) = state.phase {
            run.end()
            run.disconnectViews()
        }
        for watcher in state.watchers.values { watcher.finish() }
    }

    /// Whether a loop is running: from the beginning of ``start(file:line:)`` to the end of ``stop(file:line:)``.
    public var running: Bool {
        withState { state in
            switch state.phase {
            case .stopped: false
            case .starting, .running, .stopping: true
            }
        }
    }

    /// The running loop's model, or the one from which the next start continues.
    public var model: Model {
        let phase = withState { $0.phase }
        switch phase {
        case .stopped(let model), .starting(let model): return model
        case .running(let run), .stopping(let run): return run.loop.latestModel
        }
    }

    /// Connects a view at each start, until it is disconnected; only while stopped.
    ///
    /// It is connected on the loop queue, before it gets the first model, and given a consumer for its events, which it
    /// may call from any thread. It gets models on the view queue. ``stop(file:line:)`` disposes of the connection, on the
    /// thread that called it; from then on it gets no more models, and its events are ignored.
    ///
    /// - Returns: the id with which to disconnect it.
    @discardableResult
    public func connectView<ViewConnectable: Connectable>(
        _ connectable: ViewConnectable, file: StaticString = #file, line: UInt = #line
    ) -> UUID where ViewConnectable.Input == Model, ViewConnectable.Output == Event {
        let id = UUID()
        let view = AnyConnectable(connectable)
        complain(at: CallSite(file: file, line: line)) { state in
            guard case .stopped = state.phase else { return "A view was connected while the loop runs: stop it first." }
            state.views.append((id, view))
            return nil
        }
        return id
    }

    /// Disconnects the only view; only while stopped.
    public func disconnectView(file: StaticString = #file, line: UInt = #line) {
        complain(at: CallSite(file: file, line: line)) { state in
            guard case .stopped = state.phase else {
                return "A view was disconnected while the loop runs: stop it first."
            }
            switch state.views.count {
            case 0: return "No view is connected that could be disconnected."
            case 1: state.views = []
            default: return "Several views are connected: disconnect each by the id that connectView(_:) returned."
            }
            return nil
        }
    }

    /// Disconnects the view that was connected with this id; only while stopped.
    public func disconnectView(id: UUID, file: StaticString = #file, line: UInt = #line) {
        complain(at: CallSite(file: file, line: line)) { state in
            guard case .stopped = state.phase else {
                return "A view was disconnected while the loop runs: stop it first."
            }
            guard let index = state.views.firstIndex(where: { $0.id == id }) else {
                return "No view is connected with the id \(id)."
            }
            state.views.remove(at: index)
            return nil
        }
    }

    /// Starts a loop from the last model, after passing it to `initiate`; returns when the first effects have been
    /// handed over and the views are connected.
    public func start(file: StaticString = #file, line: UInt = #line) {
        let site = CallSite(file: file, line: line)
        refuseOnLoopQueue("start()", site)
        nonisolated(unsafe) var begin: (model: Model, views: [AnyConnectable<Model, Event>])?
        complain(at: site) { state in
            guard case .stopped(let model) = state.phase else {
                return "start() was called on a controller that is running: stop it first."
            }
            state.phase = .starting(model)
            begin = (model, state.views.map(\.view))
            return nil
        }
        guard let begin else { return }
        loopQueue.sync {
            let run = beginRun(first(from: begin.model), begin.views, loopQueue, viewQueue)
            let watchers = withState { state in
                state.phase = .running(run)
                return state.watchers.values
            }
            for watcher in watchers { watcher.watch(run.loop) }
        }
    }

    /// Ends the loop and keeps its model; returns when all events sent before have been applied, the loop has ended and the
    /// views are disposed of.
    ///
    /// Nothing is delivered afterwards. A view may call it while it gets a model; any other caller waits for the view that
    /// gets one, which must not wait for the caller. Calling it from code that the loop runs (update, an effect handler)
    /// is a programmer error; call it on another queue there.
    public func stop(file: StaticString = #file, line: UInt = #line) {
        let site = CallSite(file: file, line: line)
        refuseOnLoopQueue("stop()", site)
        nonisolated(unsafe) var ending: ControllerRun<Model, Event, Effect>?
        complain(at: site) { state in
            guard case .running(let run) = state.phase else {
                return "stop() was called on a controller that is not running: start it first."
            }
            state.phase = .stopping(run)
            ending = run
            return nil
        }
        guard let run = ending else { return }
        loopQueue.sync {
            run.applyWaitingEvents()
            run.end()
        }
        // Outside of the loop queue, because it calls the user's code.
        run.disconnectViews()
        let model = run.loop.latestModel
        withState { $0.phase = .stopped(model) }
    }

    /// Replaces the model from which the next start continues; only while stopped.
    public func replaceModel(_ model: Model, file: StaticString = #file, line: UInt = #line) {
        complain(at: CallSite(file: file, line: line)) { state in
            guard case .stopped = state.phase else {
                return "replaceModel(_:) was called while the loop runs: stop it first."
            }
            state.phase = .stopped(model)
            return nil
        }
    }

    private func first(from model: Model) -> First<Model, Effect> {
        logger?.willInitiate(model: model)
        let first = initiate.map { $0(model) } ?? First(model: model)
        logger?.didInitiate(model: model, first: first)
        return first
    }

    /// The loop queue cannot wait for itself.
    private func refuseOnLoopQueue(_ what: String, _ site: CallSite) {
        guard DispatchQueue.getSpecific(key: loopQueueKey) != nil else { return }
        site.fail(
            """
            \(what) was called on the loop's own queue, from update or an effect handler. Hand it to another queue, as \
            in DispatchQueue.main.async { controller.\(what) }.
            """)
    }

    /// Changes the state, or reports the returned error message: without the lock, because the report does not return.
    private func complain(at site: CallSite, _ change: (inout State) -> String?) {
        if let complaint = withState(change) { site.fail(complaint) }
    }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        nonisolated(unsafe) var result: Result?
        lock.withLock { _ in result = body(&state) }
        guard let result else { preconditionFailure("The body has run.") }
        return result
    }
}

extension MobiusController where Model: Sendable {
    /// The current model and each later one, over all starts, for `for await`; the sequence ends with the controller.
    ///
    /// Each access makes a new subscription. All models are buffered for a reader that is slower than the loop; use
    /// ``models(bufferingPolicy:)`` for a reader that needs only the newest.
    public var models: AsyncStream<Model> {
        models(bufferingPolicy: .unbounded)
    }

    /// The current model and later ones; `bufferingPolicy` sets which models are buffered for a slow reader.
    public func models(bufferingPolicy: AsyncStream<Model>.Continuation.BufferingPolicy) -> AsyncStream<Model> {
        AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
            let watcher = ModelWatcher(continuation)
            let id = ObjectIdentifier(watcher)
            let phase = withState { state in
                state.watchers[id] = watcher
                return state.phase
            }
            continuation.onTermination = { [weak self] _ in
                watcher.stop()
                self?.withState { $0.watchers[id] = nil }
            }
            switch phase {
            case .stopped(let model): continuation.yield(model)
            case .starting: break  // the start subscribes it
            case .running(let run), .stopping(let run):
                // Only the loop queue may run the loop.
                loopQueue.async { watcher.watch(run.loop) }
            }
        }
    }
}
