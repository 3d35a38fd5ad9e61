extension MobiusLoop where Model: Sendable {
    /// The current model and each one to come, for `for await`; it ends with the loop.
    ///
    /// Each access is a subscription of its own. Models wait, all of them, for a reader that is slower than the loop; use
    /// ``models(bufferingPolicy:)`` for one that wants to see the newest only.
    public var models: AsyncStream<Model> {
        models(bufferingPolicy: .unbounded)
    }

    /// The current model and those to come; `bufferingPolicy` says which wait for a slow reader.
    public func models(bufferingPolicy: AsyncStream<Model>.Continuation.BufferingPolicy) -> AsyncStream<Model> {
        AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
            let observer = ModelObserver<Model>(
                { model in continuation.yield(model) }, onEnd: { continuation.finish() })
            let subscription = addObserver(observer)
            continuation.onTermination = { _ in subscription.dispose() }
            if core.hasEnded { continuation.finish() }
        }
    }
}
