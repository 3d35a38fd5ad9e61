import Dispatch
import Foundation

/// When handlers of several processes of a host ran: a file with a line for each that has ended.
public final class TimeSheet: Sendable {
    /// A handler.
    public struct Entry: Sendable {
        /// When it began and ended, in nanoseconds of the host's clock.
        public let begin, end: UInt64
    }

    private let file: FileHandle

    /// Writes into a file that may be there.
    public init(path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        precondition(descriptor >= 0, "The time sheet \(path) cannot be written.")
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Notes when `body` ran.
    public func note(_ body: () -> Void) {
        let begin = DispatchTime.now().uptimeNanoseconds
        body()
        // One system call, so lines of several processes do not mix.
        file.write(Data("\(begin) \(DispatchTime.now().uptimeNanoseconds)\n".utf8))
    }

    /// What a file says, in the order in which the handlers began.
    public static func entries(in path: String) throws -> [Entry] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            let numbers = line.split(separator: " ").compactMap { UInt64($0) }
            return Entry(begin: numbers[0], end: numbers[1])
        }.sorted { $0.begin < $1.begin }
    }
}
