import Foundation

/// What a test tells the executables of the bank while they run.
public enum StandardInput {
    /// The lines of standard input, read on a thread of their own.
    ///
    /// The stream ends with the input. Once per process.
    public static func lines() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return stream
    }
}
