extension MobiusLoop where Model: Sendable {
    /// The current model and each later one, for `for await`; the sequence ends with the loop.
    ///
    /// Each access makes a new subscription. All models are buffered for a reader that is slower than the loop; use
    /// ``models(bufferingPolicy:)`` for a reader that needs only the newest.
    public var models: AsyncStream<Model> {
        models(bufferingPolicy: .unbounded)
    }

    /// The current model and later ones; `bufferingPolicy` sets which models are buffered for a slow reader.
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
