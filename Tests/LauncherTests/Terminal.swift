@preconcurrency import Dispatch
import Subprocess
import Synchronization
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pseudo-terminal: a program runs on its inner side, the test types and looks at the outer one.
final class Terminal: Sendable {
    /// The path of the inner side.
    let path: String
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let seen = Seen()
    private let changes: AsyncStream<Void>

    private final class Seen: Sendable {
        let text = Mutex("")
    }

    init() throws {
        let (descriptor, path) = try Self.openOuterSide()
        self.path = path
        // Held open until the end: reading a terminal that nobody has open is an error on Linux.
        let inner = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(inner >= 0)
        self.descriptor = descriptor
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        self.changes = changes
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "terminal"))
        source.setEventHandler { [seen] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return }
            seen.text.withLock { $0 += String(decoding: buffer[..<count], as: UTF8.self) }
            change.yield()
        }
        source.setCancelHandler {
            close(inner)
            close(descriptor)
        }
        source.activate()
    }

    deinit {
        source.cancel()
    }

    private static func openOuterSide() throws -> (descriptor: Int32, path: String) {
        #if os(Linux)
            let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // Swift's Glibc lacks posix_openpt and its relatives; these are the requests TIOCSPTLCK and TIOCGPTN behind them.
            var lock: Int32 = 0
            var number: UInt32 = 0
            try #require(ioctl(descriptor, 0x4004_5431, &lock) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
            return (descriptor, "/dev/pts/\(number)")
        #else
            let descriptor = posix_openpt(O_RDWR | O_NOCTTY)
            try #require(grantpt(descriptor) == 0 && unlockpt(descriptor) == 0)
            return (descriptor, String(cString: try #require(ptsname(descriptor))))
        #endif
    }

    /// Everything that was printed, with control characters.
    var screen: String { seen.text.withLock { $0 } }

    /// Types characters.
    func type(_ text: String) {
        _ = write(descriptor, text, text.utf8.count)
    }

    /// Waits until the text has been printed; the test's time limit is the deadline.
    func wait(for text: String) async throws {
        if screen.contains(text) { return }
        for await _ in changes where screen.contains(text) { return }
        Issue.record("waited in vain for '\(text)'; the screen shows \(screen)")
        throw CancellationError()
    }
}

extension Stage {
    /// Runs `mobius` as the program of a terminal; the closure may type and wait meanwhile.
    func mobius(
        _ arguments: [String], on terminal: Terminal, during body: () async throws -> Void
    ) async throws -> TerminationStatus {
        var options = PlatformOptions()
        options.createSession = true
        // The first process of a session gets the terminal that it opens as its own.
        let script = "exec \"$@\" <\(terminal.path) >\(terminal.path) 2>&1"
        return try await Subprocess.run(
            .path("/bin/sh"),
            arguments: Arguments(["-c", script, "sh", try Self.mobius()] + arguments),
            environment: environment.updating(["TERM": "xterm", "NO_COLOR": nil]),
            workingDirectory: FilePath(path("")),
            platformOptions: options,
            input: .none, output: .discarded, error: .discarded
        ) { _ in
            try await body()
        }.terminationStatus
    }
}
