import Synchronization

/// The handler of programmer errors: by default it crashes with a message; tests may install another one.
public enum MobiusHooks {
    /// Takes a message, file and line, and never returns.
    public typealias ErrorHandler = @Sendable (String, StaticString, UInt) -> Never

    private static let current = Mutex<ErrorHandler>({ message, file, line in
        defaultErrorHandler(message, file: file, line: line)
    })

    /// The current handler.
    ///
    /// It is called on the thread of the caller that made the error, and never while the library holds a lock.
    public static var errorHandler: ErrorHandler {
        current.withLock { $0 }
    }

    /// Replaces the handler, for the whole process.
    @preconcurrency
    public static func setErrorHandler(_ newErrorHandler: @escaping ErrorHandler) {
        current.withLock { $0 = newErrorHandler }
    }

    /// Restores the initial handler: ``defaultErrorHandler(_:file:line:)``.
    public static func setDefaultErrorHandler() {
        setErrorHandler { message, file, line in defaultErrorHandler(message, file: file, line: line) }
    }

    /// Stops the process with `message`, naming `file` and `line`.
    public static func defaultErrorHandler(_ message: String = "", file: StaticString, line: UInt) -> Never {
        fatalError(message, file: file, line: line)
    }
}
