/// A connectable with the parameters of one effect bound.
struct BoundConnectable<Event>: Sendable {
    /// Opens a connection for this effect only, which is open until it is disposed of.
    let run: @Sendable (EffectCallback<Event>) -> any Disposable

    /// Passes the parameters to the open connection of the route's connectable.
    let accept: @Sendable (any Disposable) -> Void

    init<Parameters>(_ connectable: AnyConnectable<Parameters, Event>, _ parameters: Parameters) {
        let parameters = UncheckedTransfer(parameters)
        run = { callback in
            let connection = connectable.connect { event in callback.send(event) }
            connection.accept(parameters.value)
            return AnonymousDisposable {
                connection.dispose()
                callback.end()
            }
        }
        accept = { connection in
            (connection as? Connection<Parameters>)?.accept(parameters.value)
        }
    }
}
