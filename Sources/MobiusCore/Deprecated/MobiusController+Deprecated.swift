import Dispatch

extension MobiusController {
    /// A controller, stopped, that starts from `defaultModel`: the older form of
    /// ``Mobius/Builder/makeController(from:initiate:qos:)``.
    @available(*, deprecated, message: "use builder.makeController(from: defaultModel)")
    public convenience init(builder: Mobius.Builder<Model, Event, Effect>, defaultModel: Model) {
        self.init(
            from: defaultModel, initiate: builder.initiator, logger: builder.logger,
            loopQueue: .global(qos: .userInitiated), viewQueue: .main
        ) { first, views, loopQueue, viewQueue in
            ControllerRun(builder, from: first, views: views, loopQueue: loopQueue, viewQueue: viewQueue)
        }
    }

    /// The older name of ``model``.
    @available(*, deprecated, renamed: "model")
    public func getModel() -> Model {
        model
    }

    /// The older name of ``running``.
    @available(*, deprecated, renamed: "running")
    public var isRunning: Bool {
        running
    }
}
