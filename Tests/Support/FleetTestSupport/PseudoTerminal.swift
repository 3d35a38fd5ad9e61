import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pseudo-terminal: programs run on its inner side, the test types and looks at the outer one.
public final class PseudoTerminal: Sendable {
    /// The path of the inner side.
    public let path: String
    /// Held open until the end: reading a terminal that nobody has open is an error on Linux.
    let inner: FileHandle
    private let outer: FileHandle
    /// What was shown, in the pieces in which it came.
    private let pieces = Journey<String>()

    /// Opens a terminal on which nothing runs yet.
    public init() throws {
        let (outer, path) = try Self.openOuterSide()
        let inner = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard inner >= 0 else { throw NoTerminal() }
        self.path = path
        self.outer = FileHandle(fileDescriptor: outer, closeOnDealloc: true)
        self.inner = FileHandle(fileDescriptor: inner, closeOnDealloc: true)
        // Ends when the inner side is closed, which is when the last reference to the terminal is gone.
        let thread = Thread { [handle = self.outer, pieces] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            // FileHandle would wait until the buffer is full.
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                // Another test may send this process a signal.
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                pieces.add(String(decoding: buffer[..<count], as: UTF8.self))
            }
        }
        thread.start()
    }

    private static func openOuterSide() throws -> (descriptor: Int32, path: String) {
        #if os(Linux)
            let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // Swift's Glibc lacks posix_openpt and its relatives; these are TIOCSPTLCK and TIOCGPTN behind them.
            var lock: Int32 = 0
            var number: UInt32 = 0
            guard ioctl(descriptor, 0x4004_5431, &lock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0
            else { throw NoTerminal() }
            return (descriptor, "/dev/pts/\(number)")
        #else
            let descriptor = posix_openpt(O_RDWR | O_NOCTTY)
            guard grantpt(descriptor) == 0, unlockpt(descriptor) == 0, let name = ptsname(descriptor)
            else { throw NoTerminal() }
            return (descriptor, String(cString: name))
        #endif
    }

    /// Everything that was shown, with control characters.
    public var screen: String { pieces.elements.joined() }

    /// Whether it collects lines and shows what is typed, as a terminal usually does.
    public var isUsual: Bool {
        var mode = termios()
        tcgetattr(inner.fileDescriptor, &mode)
        return mode.c_lflag & tcflag_t(ICANON) != 0 && mode.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Types characters.
    public func type(_ text: String) throws {
        try outer.write(contentsOf: Data(text.utf8))
    }

    /// Waits until the text has been shown.
    public func shows(_ text: String) async throws {
        try await pieces.wait(for: "\"\(text)\" on the terminal") { $0.joined().contains(text) }
    }
}

/// The system has no pseudo-terminal to give.
struct NoTerminal: Error, CustomStringConvertible {
    let reason = String(cString: strerror(errno))

    var description: String { "No pseudo-terminal can be opened: \(reason)." }
}
