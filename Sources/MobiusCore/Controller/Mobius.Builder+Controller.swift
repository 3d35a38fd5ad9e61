public import Dispatch

extension Mobius.Builder {
    /// A controller, stopped, that starts from `initialModel` and runs its loops in the background.
    ///
    /// Views get models on the main queue.
    ///
    /// - Parameters:
    ///   - initialModel: The model from which the first start goes on.
    ///   - initiate: Decides on each start, given the last model, which model and effects the loop starts with.
    ///   - qos: The class of the global queue that the loop queue is for.
    @preconcurrency
    @inlinable
    public func makeController(
        from initialModel: Model, initiate: Initiate<Model, Effect>? = nil,
        qos: DispatchQoS.QoSClass = .userInitiated
    ) -> MobiusController<Model, Event, Effect> {
        makeController(
            from: initialModel, initiate: initiate, loopQueue: .global(qos: qos), viewQueue: .main)
    }

    /// A controller, stopped, that starts from `initialModel` and runs its loops on a serial queue for `loopQueue`.
    ///
    /// - Parameters:
    ///   - initialModel: The model from which the first start goes on.
    ///   - initiate: Decides on each start, given the last model, which model and effects the loop starts with.
    ///   - loopQueue: The queue on which update, effect handlers and event sources are called, one at a time.
    ///   - viewQueue: The queue on which views get models, one at a time.
    @preconcurrency
    @inlinable
    public func makeController(
        from initialModel: Model, initiate: Initiate<Model, Effect>? = nil, loopQueue: DispatchQueue,
        viewQueue: DispatchQueue = .main
    ) -> MobiusController<Model, Event, Effect> {
        MobiusController(
            from: initialModel, initiate: initiate ?? initiator, logger: logger, loopQueue: loopQueue,
            viewQueue: viewQueue
        ) { first, views, loopQueue, viewQueue in
            ControllerRun(self, from: first, views: views, loopQueue: loopQueue, viewQueue: viewQueue)
        }
    }
}
