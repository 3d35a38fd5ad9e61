@preconcurrency import Dispatch
import Foundation
import MobiusClient
import MobiusLauncher
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `mobius status --watch`: requests the status, prints it, and waits, until a signal ends the process.
struct StatusWatch {
    let client: FleetClient
    let interval: Duration
    let json: Bool

    /// The pause is at least this many times the time of a reply: the coordinator visits every effect for a status.
    private static let pauseFactor = 10

    /// - Throws: `FleetExit` when standard output cannot be written.
    func run() async throws {
        var control: ControlClient?
        var picture = Picture()
        while true {
            let begin = ContinuousClock.now
            let result: Result<FleetStatus, FleetClientError>
            do {
                result = .success(try await client.status(timeout: .seconds(2)))
            } catch let error as FleetClientError {
                result = .failure(error)
            }
            let took = ContinuousClock.now - begin
            let found = await processes(of: control)
            control = found.control
            picture.receive(result, found.processes)
            try show(picture, result)
            let pause = max(interval - (ContinuousClock.now - begin), .zero)
            try await Task.sleep(for: max(pause, min(took * Self.pauseFactor, .seconds(10))))
        }
    }

    /// On a terminal each picture takes the place of the one before.
    private func show(_ picture: Picture, _ result: Result<FleetStatus, FleetClientError>) throws(FleetExit) {
        if json {
            print(picture.jsonLine(result))
        } else if let size = TerminalSize.ofOutput {
            // Each line is cleared before it is written: the whole screen would flicker.
            let lines = picture.lines(width: size.width, height: size.height).map { "\u{1B}[K" + $0 }
            print("\u{1B}[H" + lines.joined(separator: "\n") + "\n\u{1B}[J", terminator: "")
        } else {
            print((picture.lines(width: 80, height: 1000) + [""]).joined(separator: "\n"))
        }
        try StandardOutput.flush()
    }

    /// The processes of the `mobius up` that runs this coordinator; the request blocks a dispatch thread.
    private func processes(of known: ControlClient?) async -> (
        control: ControlClient?, processes: [ControlReply.Process]?
    ) {
        let endpoint = client.endpoint
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let finder = FleetFinder(environment: ProcessInfo.processInfo.environment)
                let control = known ?? finder.control(ofClients: endpoint)
                let reply = try? control?.ask(ControlRequest(command: .processes), patience: .seconds(2))
                continuation.resume(returning: (reply == nil ? nil : control, reply?.processes))
            }
        }
    }
}

/// The latest status, and since when requests fail.
private struct Picture {
    private var status: FleetStatus?
    private var processes: [ControlReply.Process]?
    private var rate = EventRate()
    private var failure: FleetClientError?
    private var failingSince: ContinuousClock.Instant?
    private let begin = ContinuousClock.now

    mutating func receive(_ result: Result<FleetStatus, FleetClientError>, _ processes: [ControlReply.Process]?) {
        self.processes = processes
        switch result {
        case .success(let status):
            self.status = status
            (failure, failingSince) = (nil, nil)
            rate.record(status.eventCount, epoch: status.epoch, at: ContinuousClock.now - begin)
        case .failure(let error):
            failure = error
            failingSince = failingSince ?? .now
        }
    }

    func lines(width: Int, height: Int) -> [String] {
        var lines: [String] = []
        if let failure {
            let (seconds, _) = (failingSince.map { ContinuousClock.now - $0 } ?? .zero).components
            let time = Times.span(milliseconds: UInt64(max(0, seconds)) * 1000)
            lines = ["For \(time): \(TerminalText.line(failure.message))", ""].map { TerminalText.cut($0, to: width) }
        }
        guard let status else { return lines.isEmpty ? ["Waiting for an answer …"] : lines }
        let text = WatchText(
            status,
            processes: processes?.map {
                WatchText.Process(name: $0.name, pool: $0.pool, state: $0.state, restarts: $0.restarts)
            }, rate: rate.perSecond, now: .now)
        return lines + text.lines(width: width, height: height - lines.count)
    }

    func jsonLine(_ result: Result<FleetStatus, FleetClientError>) -> String {
        var line = JSONLine()
        switch result {
        case .success(let status): line = JSONLine(status)
        case .failure(let error): line.set("unreachable", error.message)
        }
        line.set("time", WallTime.now)
        line.set("eventsPerSecond", rate.perSecond.map { Int(min($0.rounded(), 1e15)) })
        if let processes { line.set("processes", processes.map(\.jsonLine)) }
        return line.text
    }
}

extension WallTime {
    /// The time of this machine's clock.
    static var now: WallTime {
        WallTime(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }
}

extension FleetStatus {
    /// The sum of the loops' last sequence numbers.
    ///
    /// An older coordinator does not report it: then only if all loops are listed.
    fileprivate var eventCount: UInt64? {
        events ?? (UInt64(loops.count) == loopCount ? loops.reduce(0) { $0 &+ $1.sequence } : nil)
    }
}

extension ControlReply.Process {
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("process", name)
        line.set("pool", pool)
        line.set("state", state)
        line.set("pid", pid)
        line.set("restarts", restarts)
        return line
    }
}

/// The size of a terminal, in columns and rows.
private enum TerminalSize {
    /// Of standard output; `nil` if that is no terminal.
    static var ofOutput: (width: Int, height: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        // The last line stays free for the cursor.
        return size.ws_col > 0 && size.ws_row > 1 ? (Int(size.ws_col), Int(size.ws_row) - 1) : (80, 23)
    }
}
