@preconcurrency import Dispatch
import Foundation
import MobiusClient
import MobiusCommand
import MobiusLauncher

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `mobius status --watch`: requests the status, paints it, and waits.
struct StatusWatch {
    let client: FleetClient
    let interval: Duration
    let json: Bool

    /// The pause is at least this many times the time of a reply: the coordinator visits every effect for a status.
    private static let pauseFactor = 10

    private enum Event: Sendable {
        case report(Result<FleetStatus, FleetClientError>, [ControlReply.Process]?)
        case key
        case signal(Int32)
    }

    /// Runs until a key or a signal ends it.
    ///
    /// - Throws: `FleetExit` 128 + n when signal n ended it.
    func run() async throws {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        let signals = SignalWatch([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]) { number, _ in
            feed.yield(.signal(number))
        }
        defer { withExtendedLifetime(signals) {} }
        let keys = keys(feed)
        defer { withExtendedLifetime(keys) {} }
        let asking = Task { await ask(feed) }
        defer { asking.cancel() }
        if let signal = try await show(events) { throw FleetExit(.signal(signal), "") }
    }

    /// Paints reports until a key or a signal ends it; returns the signal.
    ///
    /// - Throws: `FleetExit` when standard output cannot be written.
    private func show(_ events: AsyncStream<Event>) async throws(FleetExit) -> Int32? {
        var screen = TerminalScreen()
        let paints = !json && TerminalScreen.isThere
        if paints { screen.enter() }
        defer { screen.leave() }
        var picture = Picture()
        for await event in events {
            switch event {
            case .report(let result, let processes):
                picture.take(result, processes)
                if json { print(picture.jsonLine(result)) }
                if !json, !paints { print((picture.lines(width: 80, height: 1000) + [""]).joined(separator: "\n")) }
                try StandardOutput.flush()
            case .key:
                return nil
            case .signal(SIGWINCH):
                break
            case .signal(SIGTSTP):
                screen.leave()
                // The process is suspended here until the shell resumes it with SIGCONT, which is the next event.
                _ = kill(getpid(), SIGSTOP)
            case .signal(SIGCONT):
                if paints { screen.enter() }
            case .signal(let number):
                return number
            }
            let size = TerminalScreen.size
            if paints { screen.paint(picture.lines(width: size.width, height: size.height), width: size.width) }
        }
        return nil
    }

    private func ask(_ feed: AsyncStream<Event>.Continuation) async {
        var control: ControlClient?
        while !Task.isCancelled {
            let begin = ContinuousClock.now
            let result: Result<FleetStatus, FleetClientError>
            do {
                result = .success(try await client.status(timeout: .seconds(2)))
            } catch let error as FleetClientError {
                result = .failure(error)
            } catch {
                return
            }
            let took = ContinuousClock.now - begin
            let found = await processes(of: control)
            control = found.control
            feed.yield(.report(result, found.processes))
            let pause = max(interval - (ContinuousClock.now - begin), .zero)
            try? await Task.sleep(for: max(pause, min(took * Self.pauseFactor, .seconds(10))))
        }
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

    /// Reports `q` from the keyboard as long as the result lives; nil when there is no keyboard: signals still end the
    /// watch.
    private func keys(_ feed: AsyncStream<Event>.Continuation) -> ReadPoller? {
        guard !json, TerminalScreen.isThere, isatty(STDIN_FILENO) == 1 else { return nil }
        guard let poller = try? ReadPoller(queue: DispatchQueue(label: "mobius.keys")) else { return nil }
        let keyboard = dup(STDIN_FILENO)
        guard keyboard >= 0 else { return nil }
        _ = poller.add(keyboard) { [weak poller] number in
            var keys = [UInt8](repeating: 0, count: 64)
            let count = read(keyboard, &keys, keys.count)
            if keys.prefix(max(0, count)).contains(where: "qQ".utf8.contains) { feed.yield(.key) }
            // End of file or an error: the terminal was closed.
            if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { poller?.remove(number) }
        }
        return poller
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

    mutating func take(_ result: Result<FleetStatus, FleetClientError>, _ processes: [ControlReply.Process]?) {
        self.processes = processes
        switch result {
        case .success(let status):
            self.status = status
            (failure, failingSince) = (nil, nil)
            rate.take(status.eventCount, epoch: status.epoch, at: ContinuousClock.now - begin)
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
        case .success(let status): line = status.jsonLine
        case .failure(let error): line.set("unreachable", error.message)
        }
        line.set("time", WallTime.now)
        line.set("eventsPerSecond", rate.perSecond.map { Int(min($0.rounded(), 1e15)) })
        if let processes { line.set("processes", processes.map(\.jsonLine)) }
        return line.text
    }
}

extension WallTime {
    fileprivate static var now: WallTime {
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
