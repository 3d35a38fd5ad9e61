import Synchronization

/// What happens on a programmer error: by default a crash with a sentence; tests may leave in other ways.
public enum MobiusHooks {
    /// Takes what is wrong and where (file and line), and never returns.
    public typealias ErrorHandler = @Sendable (String, StaticString, UInt) -> Never

    private static let current = Mutex<ErrorHandler>({ message, file, line in
        defaultErrorHandler(message, file: file, line: line)
    })

    /// The handler in force.
    ///
    /// It is called on the thread of the caller that made the error, and never while a lock of ours is held.
    public static var errorHandler: ErrorHandler {
        current.withLock { $0 }
    }

    /// Replaces the handler, for the whole process.
    @preconcurrency
    public static func setErrorHandler(_ newErrorHandler: @escaping ErrorHandler) {
        current.withLock { $0 = newErrorHandler }
    }

    /// Restores the handler that a process starts with: ``defaultErrorHandler(_:file:line:)``.
    public static func setDefaultErrorHandler() {
        setErrorHandler { message, file, line in defaultErrorHandler(message, file: file, line: line) }
    }

    /// Stops the process with `message`, naming `file` and `line`.
    public static func defaultErrorHandler(_ message: String = "", file: StaticString, line: UInt) -> Never {
        fatalError(message, file: file, line: line)
    }
}
