import Dispatch
import Foundation
import Measuring

/// The benchmark's other executables, which lie beside this one.
struct Programs {
    let folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()

    /// What the effect programs print.
    struct EffectLine: Decodable {
        let effects: Int
        let seconds: Double
        /// Of the coordinator, in microseconds per effect.
        let cpu: Double
        let p50: Double
        let p99: Double
    }

    /// An effect run with the CPU time of all its processes in microseconds per effect.
    struct EffectRun {
        let line: EffectLine
        let cpu: Double
    }

    /// Runs the floor: coordinator and worker are one program that forks.
    func floor(effects: Int, window: Int, singles: Int) throws -> EffectRun {
        try measured {
            let port = try freePort()
            return try output(of: start("floor", ["\(port)", "\(effects)", "\(window)", "\(singles)"]))
        }
    }

    /// Runs ours, a coordinator with one worker; `journal` is a file name or `none`.
    ///
    /// - Parameters:
    ///   - coding: What its payloads are written in: json or fast.
    ///   - crowd: How many strangers hold connections to it, and how many come and go each second.
    ///   - guests: How many clients and other workers are connected and do nothing.
    func fleet(
        effects: Int, window: Int, singles: Int, journal: String, coding: String = "json",
        crowd: (number: Int, rate: Int)? = nil, guests: (clients: Int, workers: Int)? = nil,
        counts: AllocationCounts? = nil
    ) throws -> EffectRun {
        try measured {
            let port = try freePort()
            let endpoint = "tcp://127.0.0.1:\(port)"
            let clients = "tcp://127.0.0.1:\(try freePort())"
            let (strangers, guestBook) = (Pipe(), Pipe())
            let disturbance = try crowd.map {
                try start("crowd", ["\(port)", "\($0.number)", "\($0.rate)"], input: strangers)
            }
            defer {
                try? strangers.fileHandleForWriting.close()
                disturbance?.process.waitUntilExit()
            }
            var environment = counts?.environment(of: .coordinator) ?? ProcessInfo.processInfo.environment
            environment["EFFECT_CODING"] = coding
            let coordinator = try start(
                "effect-coordinator",
                [
                    "--bind", endpoint, "--client-bind", guests == nil ? "none" : clients, "--journal", journal,
                    "--effects", "\(effects)", "--window", "\(window)",
                    "--singles", "\(singles)", "--log-level", "warning",
                ], environment: environment)
            defer { if coordinator.process.isRunning { coordinator.process.terminate() } }
            let company = try guests.map {
                try start(
                    "guests", [clients, "\($0.clients)", endpoint, "\($0.workers)"], input: guestBook)
            }
            defer {
                try? guestBook.fileHandleForWriting.close()
                company?.process.waitUntilExit()
            }
            if let company, company.output.fileHandleForReading.availableData.isEmpty {
                throw BenchError("guests could not connect; what it said is above.")
            }
            let worker = try start(
                "effect-worker",
                [
                    "--connect", endpoint, "--concurrency", "\(window)", "--drain-timeout", "1", "--log-level", "error",
                ], environment: counts?.environment(of: .worker))
            defer {
                worker.process.terminate()
                worker.process.waitUntilExit()
            }
            return try output(of: coordinator)
        }
    }

    /// Runs Site Audit's loop over a site of `urls`, or several in turns, and answers events per second.
    func audit(urls: Int, models: Int = 1) throws -> Double {
        try number("audit-scaling", ["\(urls)", "\(models)"])
    }

    /// What the programs of the loop and codec cases print, per event or value; nothing where it cannot be measured.
    struct CaseLine: Decodable {
        let floor: Double?
        let ours: Double?

        var pair: (floor: Sample, ours: Sample)? {
            guard let floor, let ours else { return nil }
            return (Sample(value: floor), Sample(value: ours))
        }
    }

    /// Times a loop case, in nanoseconds.
    func loopTiming(_ name: String) throws -> CaseLine { try caseLine("loop-timing", name) }

    /// Counts what a loop case allocates.
    func loopAllocations(_ name: String) throws -> CaseLine { try caseLine("loop-allocations", name) }

    /// Times a codec case, in nanoseconds of CPU time.
    func codecTiming(_ name: String) throws -> CaseLine { try caseLine("codec-timing", name) }

    /// Counts what a codec case allocates.
    func codecAllocations(_ name: String) throws -> CaseLine { try caseLine("codec-allocations", name) }

    private func caseLine(_ program: String, _ name: String) throws -> CaseLine {
        try JSONDecoder().decode(CaseLine.self, from: Data(output(of: start(program, [name])).utf8))
    }

    /// Runs ours twice, and answers how many times each of its two processes asked for memory per effect, once everything has
    /// grown; `nil` where that cannot be counted.
    func effectAllocations(journal: Bool) throws -> (coordinator: Double, worker: Double)? {
        guard let counts = try AllocationCounts(beside: folder) else { return nil }
        defer { counts.remove() }
        let (few, many) = (20_000, 220_000)
        let runs = try [few, many].map { effects in
            try counts.empty()
            _ = try withJournal(journal) {
                try fleet(effects: effects, window: 1000, singles: 0, journal: $0, counts: counts)
            }
            return try (coordinator: counts.read(.coordinator), worker: counts.read(.worker))
        }
        let effects = Double(many - few)
        return (
            (runs[1].coordinator - runs[0].coordinator) / effects, (runs[1].worker - runs[0].worker) / effects
        )
    }

    // MARK: Journals

    /// Gives a name for a journal, in a folder that is removed again, or `none`.
    ///
    /// It is on the disk of the build: a temporary folder may be in memory.
    func withJournal<Result>(_ durable: Bool = true, _ body: (String) throws -> Result) throws -> Result {
        guard durable else { return try body("none") }
        let place = folder.appending(path: "journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        return try body(place.appending(path: "bench.journal").path)
    }

    /// Writes a journal of so many small events.
    func writeSmallJournal(_ journal: String, events: Int) throws {
        _ = try output(of: start("small-journal", ["write", journal, "\(events)"]))
    }

    /// Reads its records and does nothing with them; answers records per second.
    func readSmallJournal(_ journal: String) throws -> Double {
        try number("small-journal", ["read", journal])
    }

    /// Starts its coordinator, which ends when its model is there; answers how many events that has seen.
    func recoverSmallJournal(_ journal: String) throws -> Int {
        let endpoint = "tcp://127.0.0.1:\(try freePort())"
        return Int(
            try number(
                "small-coordinator",
                ["--bind", endpoint, "--client-bind", "none", "--journal", journal, "--log-level", "warning"]))
    }

    /// Writes a journal with so many idle loops.
    func writeManyLoops(_ journal: String, _ loops: Int) throws {
        _ = try output(of: start("many-loops", ["write", journal, "\(loops)"]))
    }

    /// Reads what a start must read of it; answers seconds.
    func readManyLoops(_ journal: String) throws -> Double { try number("many-loops", ["floor", journal]) }

    /// Writes so many loops that a start must recover into a journal in PostgreSQL.
    func writeActiveLoops(_ journal: String, _ loops: Int) throws {
        _ = try output(of: start("many-loops", ["active", journal, "\(loops)"]))
    }

    /// Reads them one by one; answers seconds.
    func readActiveLoops(_ journal: String) throws -> Double { try number("many-loops", ["read-alone", journal]) }

    /// Starts a coordinator; answers the seconds until it has them.
    func startActiveLoops(_ journal: String) throws -> Double { try number("many-loops", ["start", journal]) }

    /// Runs its coordinator, with so many events to random ones of the loops, or to `main`.
    func runManyLoops(_ journal: String, events: Int, loops: Int) throws -> ManyLoopsBenchmark.Line {
        let text = try output(of: start("many-loops", ["run", journal, "\(events)", "\(loops)"]))
        return try JSONDecoder().decode(ManyLoopsBenchmark.Line.self, from: Data(text.utf8))
    }

    /// Sends so many lines with `mobius send --file` to one loop of a coordinator; answers events per second.
    ///
    /// It is timed from the start of the command to its end.
    func bulkSend(_ journal: String, events: Int) throws -> Double {
        let lines = journal + ".lines"
        let text = (0..<events).map { "{\"moved\":{\"_0\":\($0)}}\n" }.joined()
        try Data(text.utf8).write(to: URL(filePath: lines))
        let input = Pipe()
        let coordinator = try start("many-loops", ["serve", journal], input: input)
        defer {
            try? input.fileHandleForWriting.close()
            coordinator.process.waitUntilExit()
        }
        let said = String(decoding: coordinator.output.fileHandleForReading.availableData, as: UTF8.self)
        let endpoint = said.trimmingCharacters(in: .whitespacesAndNewlines)
        var report = ""
        let time = try ContinuousClock().measure {
            report = try output(of: start("mobius", ["send", "--file", lines, "--connect", endpoint]))
        }
        guard report.hasPrefix("\(events) applied") else { throw BenchError("mobius send printed '\(report)'.") }
        return Double(events) / (time / .seconds(1))
    }

    /// Asks for timers; answers the bytes and microseconds of each.
    func timers(_ journal: String, _ count: Int) throws -> [Double] {
        let text = try output(of: start("many-loops", ["timers", journal, "\(count)"]))
        return try JSONDecoder().decode([Double].self, from: Data(text.utf8))
    }

    /// Times the coordinator's machine, in microseconds per effect.
    func machineTiming(window: Int) throws -> Double {
        try number("machine-timing", ["\(window)"])
    }

    /// Times the slowest of the largest frames, in milliseconds.
    func worstFrame() throws -> Double { try number("machine-timing", ["worst-frame"]) }

    /// Writes the ledgers of so many orders and does nothing else; answers orders per second.
    func orderFloor(_ orders: Int) throws -> Double { try number("order-floor", ["\(orders)"]) }

    /// Runs the Orders example, which the script builds before.
    func orders(_ count: Int) throws -> OrdersBenchmark.Line {
        let text = try output(of: start(script("Tests/Packages/Benchmarks/orders"), ["\(count)"]))
        return try JSONDecoder().decode(OrdersBenchmark.Line.self, from: Data(text.utf8))
    }

    /// Runs so many seeds of the simulation, which `Tests/run simulate` builds before; answers what it printed.
    func simulation(seeds: Int) throws -> String {
        try output(of: start(script("Tests/run"), ["simulate", "--seeds", "\(seeds)"]))
    }

    private func script(_ path: String) throws -> URL {
        guard let root = ProcessInfo.processInfo.environment["FLEET_ROOT"] else {
            throw BenchError("This benchmark needs FLEET_ROOT, the repository: run Tests/run bench.")
        }
        return URL(filePath: root).appending(path: path)
    }

    /// Runs a program that prints one number.
    func number(_ program: String, _ arguments: [String]) throws -> Double {
        let text = try output(of: start(program, arguments))
        guard let number = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchError("\(program) printed '\(text)' instead of a number.")
        }
        return number
    }

    // MARK: Processes

    typealias Started = (process: Process, output: Pipe)

    func start(
        _ name: String, _ arguments: [String], input: Pipe? = nil, environment: [String: String]? = nil,
        on wrapper: [String] = []
    ) throws -> Started {
        let command = wrapper + [folder.appending(path: name).path] + arguments
        return try start(
            URL(filePath: command[0]), Array(command.dropFirst()), input: input, environment: environment)
    }

    private func start(
        _ executable: URL, _ arguments: [String], input: Pipe? = nil, environment: [String: String]? = nil
    ) throws -> Started {
        let process = Process()
        if let environment { process.environment = environment }
        process.executableURL = executable
        process.arguments = arguments
        // Coordinators with a journal in a database leave files where they run.
        process.currentDirectoryURL = folder
        process.standardInput = input ?? FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    func output(of started: Started) throws -> String {
        let process = started.process
        let watchdog = process.terminate(after: .seconds(900))
        defer { watchdog.cancel() }
        let data = try started.output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let name = process.executableURL?.lastPathComponent ?? ""
            throw BenchError("\(name) ended with \(started.process.terminationStatus); what it said is above.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// The CPU time counts from start to end of all processes, which at some seconds of work is close enough.
    private func measured(_ run: () throws -> String) throws -> EffectRun {
        let before = CPUTime.ofEndedChildren()
        let text = try run()
        let cpu = CPUTime.ofEndedChildren() - before
        let line = try JSONDecoder().decode(EffectLine.self, from: Data(text.utf8))
        return EffectRun(line: line, cpu: line.effects > 0 ? cpu * 1e6 / Double(line.effects) : 0)
    }

    func freePort() throws -> UInt16 {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 ? getsockname(descriptor, generic, &size) : -1
            }
        }
        guard status == 0 else { throw BenchError("No free port on loopback: errno \(errno).") }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// Why there is no figure.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Process {
    /// Terminates the process after a time, unless the result is cancelled: a fleet that hangs must not hang the benchmark.
    func terminate(after limit: DispatchTimeInterval) -> DispatchWorkItem {
        let watchdog = DispatchWorkItem { self.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: watchdog)
        return watchdog
    }
}
