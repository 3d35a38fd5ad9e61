public import Foundation

// The same methods without the file and line of the call, so that they can be passed as functions:
// `button.action = controller.stop`. Plain calls prefer the overloads with file and line.

extension MobiusController {
    /// See ``connectView(_:file:line:)``.
    @_disfavoredOverload
    @discardableResult
    public func connectView<ViewConnectable: Connectable>(
        _ connectable: ViewConnectable
    ) -> UUID where ViewConnectable.Input == Model, ViewConnectable.Output == Event {
        connectView(connectable, file: #file, line: #line)
    }

    /// See ``disconnectView(file:line:)``.
    @_disfavoredOverload
    public func disconnectView() {
        disconnectView(file: #file, line: #line)
    }

    /// See ``disconnectView(id:file:line:)``.
    @_disfavoredOverload
    public func disconnectView(id: UUID) {
        disconnectView(id: id, file: #file, line: #line)
    }

    /// See ``start(file:line:)``.
    @_disfavoredOverload
    @Sendable
    public func start() {
        start(file: #file, line: #line)
    }

    /// See ``stop(file:line:)``.
    @_disfavoredOverload
    @Sendable
    public func stop() {
        stop(file: #file, line: #line)
    }

    /// See ``replaceModel(_:file:line:)``.
    @_disfavoredOverload
    public func replaceModel(_ model: Model) {
        replaceModel(model, file: #file, line: #line)
    }
}
