import Foundation
import Logging
import MobiusClient
import MobiusCoordinator
import MobiusCore
import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusJournalSQLite
import MobiusProgram
import MobiusWire

/// Measures one coordinator with many loops.
///
/// `many-loops write FILE LOOPS` makes a journal whose loops are idle, except `main`. `many-loops floor FILE` prints how long
/// SQLite takes to open it and to read what must be read. `many-loops run FILE EVENTS LOOPS` runs the coordinator and prints a
/// line of JSON; with 0 loops all events go to `main`. `many-loops timers FILE TIMERS` asks for timers. `many-loops serve FILE`
/// runs the coordinator until its input ends, and prints where clients connect.
///
/// `many-loops active URL LOOPS` writes loops that a start must recover into an empty journal in PostgreSQL, `many-loops read URL`
/// prints how long it takes to open that and to read what must be read, `many-loops read-alone URL` the same for one loop after
/// the other, and `many-loops start URL` how long a coordinator takes until its models are there.
@main
enum ManyLoops {
    static let application = "many-loops"

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        switch (arguments.first, numbers.count) {
        case ("write", 1): try Writing(path: arguments[1]).write(numbers[0])
        case ("floor", 0): print(try floor(arguments[1]))
        case ("run", 2): try await Run(.file(arguments[1])).run(events: numbers[0], loops: numbers[1])
        case ("serve", 0): try await Run(.file(arguments[1])).serve()
        case ("active", 1): try ActiveLoops(url: arguments[1]).write(numbers[0])
        case ("read", 0): print(try ActiveLoops(url: arguments[1]).read(inBlocks: true))
        case ("read-alone", 0): print(try ActiveLoops(url: arguments[1]).read(inBlocks: false))
        case ("start", 0): try await Run(.url(arguments[1])).start()
        case ("timers", 1): try await Run(.file(arguments[1])).timers(numbers[0])
        default:
            fatalError(
                """
                usage: many-loops write FILE LOOPS | floor FILE | run FILE EVENTS LOOPS | serve FILE | timers FILE TIMERS
                    | active URL LOOPS | read URL | read-alone URL | start URL
                """)
        }
    }

    static func name(_ number: Int) -> LoopID { LoopID("parcel/\(10_000_000 + number)") ?? .main }

    private static func floor(_ path: String) throws -> Double {
        let time = try ContinuousClock().measure {
            let journal = try SQLiteJournal(path: path, application: application, build: "benchmark")
            for loop in try journal.activeLoops() {
                _ = try journal.newestSnapshot(of: loop)
                try journal.readTail(of: loop) { _ in }
            }
            journal.close()
        }
        return time / .seconds(1)
    }
}

/// A program with models of about a hundred bytes.
enum Parcels: InPlaceLoopProgram {
    struct Model: Codable, Sendable {
        var moves = 0
        var note = String(repeating: "parcel ", count: 11)
    }

    enum Event: Codable, Sendable {
        case moved(Int)
        case mustWait(timers: Int)
        case waited
    }

    enum Effect: Codable, Sendable {
        case wait
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        model.moves += 1
        guard case .mustWait(let timers) = event else { return .next() }
        return .next(effects: Array(repeating: .wait, count: timers))
    }
}

/// Writes a journal directly through the store.
struct Writing {
    let path: String

    func write(_ count: Int) throws {
        let journal = try SQLiteJournal(path: path, application: ManyLoops.application, build: "benchmark")
        defer { journal.close() }
        let model = Payload(
            kind: PayloadKind(type: String(reflecting: Parcels.Model.self)),
            bytes: Array(try JSONEncoder().encode(Parcels.Model())))
        let hash = model.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }  // FNV-1a
        try journal.commit([start(of: .main)])
        for first in stride(from: 0, to: count, by: 10_000) {
            let loops = (first..<min(count, first + 10_000)).map(ManyLoops.name)
            try journal.commit(loops.map(start))
            try journal.park(
                loops.map { IdleLoop(loop: $0, sequence: 0, time: WallTime(milliseconds: 0)) },
                loops.map { Snapshot(loop: $0, sequence: 0, model: model, hash: hash, pending: []) })
        }
    }

    private func start(of loop: LoopID) -> JournalRecord {
        .event(EventRecord(loop: loop, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
    }
}

/// Runs a coordinator on the journal, in this process.
struct Run {
    private let coordinator: Coordinator<Parcels>
    private let client: FleetClient
    private let endpoint: String
    private let ready: AsyncStream<ContinuousClock.Instant>
    private let started: AsyncStream<ContinuousClock.Instant>.Continuation

    private struct Line: Encodable {
        var ready = 0.0
        var resident = 0.0
        var rate = 0.0
        var page = 0.0
        var residentAfter = 0.0
    }

    init(_ journal: CoordinatorSettings.Journal) {
        var settings = CoordinatorSettings(
            name: ManyLoops.application, bind: "ipc://\(NSTemporaryDirectory())/many-loops-\(getpid())/fleet",
            journal: journal)
        settings.journalOpeners = [.postgreSQL]
        settings.clientsMayStartLoops = true
        settings.idleAfter = .seconds(2)
        settings.maximumBacklog = 10_000_000
        let (ready, started) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        (self.ready, self.started) = (ready, started)
        coordinator = Coordinator<Parcels>(
            settings,
            routes: EffectRouter { effect in
                switch effect {
                case .wait: .toTimer(.after(.seconds(86_400))) { .waited }
                }
            }, logger: Logger(label: "many-loops") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in started.yield(.now) }
        endpoint = settings.clientBind ?? ""
        client = FleetClient(connect: endpoint)
    }

    private func begin() async throws -> (Task<Void, any Error>, Duration) {
        let start = ContinuousClock.now
        let running = Task { [coordinator, started] in
            defer { started.finish() }
            try await coordinator.run()
        }
        for await moment in ready { return (running, start.duration(to: moment)) }
        try await running.value
        fatalError("many-loops: the coordinator ended before it was ready.")
    }

    func run(events: Int, loops: Int) async throws {
        var line = Line()
        let (running, time) = try await begin()
        line.ready = time / .seconds(1)
        line.resident = resident()
        line.page = try await page()
        let sent = try await ContinuousClock().measure { try await send(events, to: loops) }
        line.rate = Double(events) / (sent / .seconds(1))
        line.residentAfter = resident()
        print(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
        coordinator.stop()
        try await running.value
    }

    /// Serves clients until the standard input ends.
    func serve() async throws {
        let (running, _) = try await begin()
        print(endpoint)
        fflush(nil)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while readLine() != nil {}
                continuation.resume()
            }
        }
        coordinator.stop()
        try await running.value
    }

    /// Prints how many seconds pass until a model is there, which is when all loops are recovered.
    func start() async throws {
        let begin = ContinuousClock.now
        let (running, _) = try await self.begin()
        for await _ in coordinator.loop.models { break }
        print(begin.duration(to: .now) / .seconds(1))
        coordinator.stop()
        try await running.value
    }

    /// A thousand senders at a time.
    private func send(_ events: Int, to loops: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { [loop = coordinator.loop] group in
            for sender in 0..<1000 {
                group.addTask {
                    var random = UInt64(sender + 1) &* 0x9e37_79b9_7f4a_7c15
                    for number in stride(from: sender, to: events, by: 1000) {
                        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        let target = loops == 0 ? .main : ManyLoops.name(Int(random >> 33) % loops)
                        try await loop.loop(target).send(.moved(number))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The median time of a page of a hundred loops, in milliseconds.
    private func page() async throws -> Double {
        var times: [Double] = []
        for number in 0..<51 {
            let after = ManyLoops.name(number * 19_000)
            let time = try await ContinuousClock().measure {
                _ = try await client.loops(prefix: "parcel/", after: after, limit: 100)
            }
            times.append(time / .milliseconds(1))
        }
        return times.sorted()[25]
    }

    /// Asks for timers, a thousand by each event, and prints the bytes and the microseconds that each takes.
    func timers(_ count: Int) async throws {
        let (running, _) = try await begin()
        let before = resident()
        let time = try await ContinuousClock().measure {
            for _ in 0..<count / 1000 { try await coordinator.loop.send(.mustWait(timers: 1000)) }
        }
        print("[\((resident() - before) / Double(count)), \(time / .microseconds(1) / Double(count))]")
        coordinator.stop()
        try await running.value
    }

    /// The resident bytes of this process.
    private func resident() -> Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Double($0.filter(\.isNumber)) }.map { $0 * 1024 } ?? 0
    }
}
