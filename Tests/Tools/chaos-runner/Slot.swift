import BankFleet
import FleetTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A place in the company that one process fills at a time: when it ends, another one is put there.
final class Slot {
    enum State {
        case up
        case stopped
        /// Told to stop orderly; it may take its time.
        case leaving
        case down
    }

    let name: String
    private(set) var state = State.down
    private(set) var process: TestProcess?
    /// The newest of what earlier processes of it said on standard error.
    private(set) var log: [String] = []
    private let launch: () throws -> TestProcess
    private static let longestLog = 10_000
    private let children: Children

    init(_ name: String, children: Children, launch: @escaping () throws -> TestProcess) {
        self.name = name
        self.children = children
        self.launch = launch
    }

    func start() throws {
        let process = try launch()
        children.add(process.pid)
        self.process = process
        state = .up
    }

    func kill() async throws {
        guard let process else { return }
        process.signal(SIGKILL)
        try await bury()
    }

    func stop() {
        process?.signal(SIGSTOP)
        state = .stopped
    }

    func goOn() {
        guard state == .stopped else { return }
        process?.signal(SIGCONT)
        state = .up
    }

    func leave() {
        process?.signal(SIGTERM)
        state = .leaving
    }

    /// Whether a process that was told to leave has done so.
    var hasLeft: Bool { process?.isGone ?? true }

    /// Waits for its end.
    @discardableResult
    func bury() async throws -> TestProcess.End? {
        guard let process else { return nil }
        let end = try await process.end()
        children.remove(process.pid)
        log += ["== \(name), process \(process.pid): \(end)"] + process.errors.elements
        if log.count > 2 * Self.longestLog { log.removeFirst(log.count - Self.longestLog) }
        self.process = nil
        state = .down
        return end
    }
}
