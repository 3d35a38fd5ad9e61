import FleetTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A pseudo-terminal: the program has its inner side, the test types and looks at the outer one.
final class PseudoTerminal: Sendable {
    let outer: FileHandle
    let inner: FileHandle

    init() throws {
        #if os(Linux)
            let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // Swift's Glibc lacks posix_openpt and its relatives; these are TIOCSPTLCK and TIOCGPTN behind them.
            var lock: Int32 = 0
            var number: UInt32 = 0
            try #require(ioctl(descriptor, 0x4004_5431, &lock) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
            let path = "/dev/pts/\(number)"
        #else
            let descriptor = posix_openpt(O_RDWR | O_NOCTTY)
            try #require(grantpt(descriptor) == 0 && unlockpt(descriptor) == 0)
            let path = String(cString: try #require(ptsname(descriptor)))
        #endif
        outer = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Held open until the end: reading a terminal that nobody has open is an error on Linux.
        let inside = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(inside >= 0)
        inner = FileHandle(fileDescriptor: inside, closeOnDealloc: true)
    }

    /// Whether it collects lines and shows what is typed, as a terminal usually does.
    var isUsual: Bool {
        var mode = termios()
        tcgetattr(inner.fileDescriptor, &mode)
        return mode.c_lflag & tcflag_t(ICANON) != 0 && mode.c_lflag & tcflag_t(ECHO) != 0
    }
}

/// The counter at a terminal.
@Suite(.timeLimit(.minutes(3)))
struct CounterTerminalTests {
    private let folder: TestFolder
    private let terminal: PseudoTerminal
    private let counter: CounterProcess

    init() async throws {
        folder = try TestFolder()
        terminal = try PseudoTerminal()
        counter = try CounterProcess("counter-loop", ["--player", "none", "--state", "s"], at: terminal, in: folder)
        try await counter.shows("count  0")
    }

    @Test func keysCountWithoutEnterAndUnseen() async throws {
        #expect(!terminal.isUsual)
        try counter.type("++")
        try await counter.shows("history  0 1 2")
        #expect(!counter.screen.contains("++"))
        try counter.type("q")
        #expect(try await counter.end() == .exited(0))
        #expect(terminal.isUsual)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalSavesTheModelAndPutsTheTerminalBack(_ signal: Int32) async throws {
        try counter.type("+")
        try await counter.shows("count  1")
        counter.signal(signal)
        #expect(try await counter.end() == .exited(0))
        #expect(terminal.isUsual)
        let saved = try String(contentsOfFile: folder.file("s"), encoding: .utf8)
        #expect(saved == #"{"count":1}"#)
    }

    @Test func ctrlDQuits() async throws {
        try counter.type("\u{4}")
        #expect(try await counter.end() == .exited(0))
        #expect(terminal.isUsual)
    }

    @Test func theQuitSignalPutsTheTerminalBack() async throws {
        counter.signal(SIGQUIT)
        #expect(try await counter.end() == .exited(131))
        #expect(terminal.isUsual)
    }

    @Test func whatSIGKILLLeftTheNextRunPutsRight() async throws {
        counter.signal(SIGKILL)
        #expect(try await counter.end() == .signalled(SIGKILL))
        #expect(!terminal.isUsual)
        let next = try CounterProcess("counter-loop", ["--player", "none"], at: terminal, in: folder)
        try next.type("q")
        #expect(try await next.end() == .exited(0))
        #expect(terminal.isUsual)
    }

    @Test func whileItIsStoppedTheTerminalIsAsUsual() async throws {
        counter.signal(SIGTSTP)
        try await eventually("the terminal is put back") { terminal.isUsual }
        counter.signal(SIGCONT)
        try await eventually("the terminal is taken again") { !terminal.isUsual }
        try counter.type("+")
        try await counter.shows("count  1")
    }
}
