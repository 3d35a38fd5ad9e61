import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Two coordinators of one journal, of which one runs the loops, and a worker that knows both; effects go all the time.
final class Cluster {
    /// How long no effect came.
    struct Gap {
        /// From the fault to the first effect of the next owner, in seconds.
        let sinceFault: Double
        /// From the last effect before that.
        let sinceLast: Double
        /// From the fault until the worker has joined the next owner.
        let joined: Double
    }

    private static let patience = 60.0

    private let place: ClusterPlace
    private let programs: Programs
    private let journal: String
    private let worker: WatchedProcess
    private var owner: (name: String, process: WatchedProcess)
    private var standby: (name: String, process: WatchedProcess)
    private var random = SystemRandomNumberGenerator()
    /// Whether each fault's log lines are printed, with their times.
    private let isTraced = ProcessInfo.processInfo.environment["FAILOVER_TRACE"] != nil

    /// Starts the processes.
    init(_ programs: Programs, in place: ClusterPlace, journal: String) throws {
        let first = try place.coordinator("a", programs, journal: journal, window: 10)
        do {
            try first.wait("it runs the loops", for: Self.patience) { $0.contains { $0.isLog("runs the loops") } }
        } catch {
            first.kill()
            throw error
        }
        owner = ("a", first)
        standby = ("b", try place.coordinator("b", programs, journal: journal, window: 10))
        worker = try place.worker(of: ["a", "b"], programs, concurrency: 100, environment: ["EFFECT_TIMES": "1"])
        self.place = place
        self.programs = programs
        self.journal = journal
    }

    /// Ends all processes.
    func remove() {
        for process in [worker, owner.process, standby.process] { process.kill() }
    }

    /// Sends a signal to the owner at a random moment while effects go, and waits until those of the other one do.
    func fault(_ signal: Int32) throws -> Gap {
        try fault { owner.process.signal(signal) }
    }

    /// Cuts the owner's host off in the same way, and ends it afterwards.
    func cutOwner() throws -> Gap {
        let gap = try fault { try place.cut(owner.name) }
        owner.process.signal(SIGKILL)
        try place.mend(owner.name)
        return gap
    }

    private func fault(_ happen: () throws -> Void) throws -> Gap {
        try standby.process.wait("it stands by", for: Self.patience) { $0.contains { $0.isLog("listening") } }
        worker.forget()
        try worker.wait("effects come", for: Self.patience) { $0.count(where: \.isEffect) >= 100 }
        // Renewals and looks at the lease come at intervals of up to a second.
        let moment = WatchedProcess.now + .random(in: 0...1.5, using: &random)
        try worker.wait("effects come until then", for: Self.patience) { $0.last.map { $0.time >= moment } ?? false }
        worker.forget()
        owner.process.forget()
        let fault = WatchedProcess.now
        try happen()
        var gap: Gap?
        try worker.wait("effects of the next owner come", for: Self.patience) { lines in
            gap = Self.gap(in: lines, after: fault)
            return gap != nil
        }
        if isTraced { trace(after: fault) }
        guard let gap else { throw BenchError("No effect came.") }
        return gap
    }

    /// The old owner has ended, or does; it is started again and stands by, and the other one is the owner.
    func replaceOwner() throws {
        owner.process.waitUntilEnd()
        let next = try place.coordinator(owner.name, programs, journal: journal, window: 10)
        (owner, standby) = (standby, (owner.name, next))
    }

    /// The old owner is let go on, finds that it is the owner no more, and stands by.
    func wakeOwner() throws {
        owner.process.signal(SIGCONT)
        try owner.process.wait("it notices", for: Self.patience) { $0.contains { $0.isLog("the lease is lost") } }
        (owner, standby) = (standby, owner)
        standby.process.note("listening")
    }

    /// The first effect after the worker has joined another coordinator.
    private static func gap(in lines: [WatchedProcess.Line], after fault: Double) -> Gap? {
        guard let joined = lines.firstIndex(where: { $0.time >= fault && $0.isLog("joined the coordinator") }),
            let first = lines[joined...].first(where: \.isEffect)?.time
        else { return nil }
        let last = lines[..<joined].last(where: \.isEffect)?.time ?? fault
        return Gap(sinceFault: first - fault, sinceLast: first - last, joined: lines[joined].time - fault)
    }

    private func trace(after fault: Double) {
        let all = [("old owner", owner.process), ("next owner", standby.process), ("worker", worker)]
        var lines: [(time: Double, text: String)] = []
        for (name, process) in all {
            let newest = process.lines.filter { $0.time >= fault - 0.01 }
            lines += newest.compactMap { line in line.text.map { (line.time, "\(name): \($0)") } }
            let effects = newest.filter(\.isEffect)
            let next = zip(effects, effects.dropFirst()).max { $0.1.time - $0.0.time < $1.1.time - $1.0.time }
            if let (last, first) = next {
                lines += [(last.time, "\(name): last effect"), (first.time, "\(name): next effect")]
            }
        }
        for line in lines.sorted(by: { $0.time < $1.time }) {
            FileHandle.standardError.write(Data("\(Int((line.time - fault) * 1e3)) ms \(line.text)\n".utf8))
        }
    }
}
