public import Bank
public import FleetTestSupport
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The processes of one bank and its files, started one by one so that a test can kill each of them.
public final class BankProcesses: Sendable {
    /// Where journal, socket and ledgers are.
    public let folder: TestFolder
    private let state = Mutex(State())

    private struct State {
        var orders: [String] = []
        var confirmed: [String] = []
        var ledgers: [String: String] = [:]
        /// All that were started: they live as long as the bank.
        var processes: [TestProcess] = []
    }

    /// Makes a folder for a bank of which nothing runs yet.
    public init() throws {
        folder = try TestFolder()
        // Who types at a process that was killed must not end with it.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The endpoint of its coordinator.
    public var endpoint: String { "ipc://\(folder.file("s"))" }
    /// Its journal.
    public var journal: String { folder.file("journal") }
    /// The keys of all orders that were confirmed.
    public var confirmed: [String] { state.withLock { $0.confirmed } }

    /// Starts the coordinator.
    ///
    /// - Parameters:
    ///   - failpoints: Where it kills or stops itself, as in `MOBIUS_FAILPOINTS`.
    ///   - wrapper: A command that runs it, such as `/usr/bin/nsenter` with its arguments.
    public func coordinator(
        failpoints: String? = nil, pace: Int = 5, journal: String? = nil, bind: String? = nil,
        _ options: [String] = [], environment: [String: String] = [:], wrapper: [String] = []
    ) throws -> TestProcess {
        let arguments = [
            "--bind", bind ?? endpoint, "--journal", journal ?? self.journal, "--pace", "\(pace)", "--keep-history",
        ]
        var environment = environment
        environment["MOBIUS_FAILPOINTS"] = failpoints
        let all = wrapper.dropFirst() + (wrapper.isEmpty ? [] : [try TestProcess.executable("bank-coordinator").path])
        return keep(
            try TestProcess(
                wrapper.first ?? "bank-coordinator", all + arguments + options, environment: environment, input: .pipe))
    }

    /// Starts a worker with a ledger of this name.
    ///
    /// - Parameter hold: Where handlers wait for a line `step` or `go`: `before`, `during`, `after`, or several of these.
    public func worker(
        _ name: String, connect: String? = nil, hold: String? = nil, failpoints: String? = nil,
        _ options: [String] = [], environment: [String: String] = [:], wrapper: [String] = []
    ) throws -> TestProcess {
        let ledger = folder.file("\(name).ledger")
        state.withLock { $0.ledgers[name] = ledger }
        let arguments = ["--connect", connect ?? endpoint, "--ledger", ledger, "--pace", "5"]
        var environment = environment
        environment["MOBIUS_FAILPOINTS"] = failpoints
        let holds = (hold ?? "").split(separator: ",").flatMap { ["--hold", String($0)] }
        let wrapped =
            wrapper.isEmpty ? [] : Array(wrapper.dropFirst()) + [try TestProcess.executable("bank-worker").path]
        return keep(
            try TestProcess(
                wrapper.first ?? "bank-worker", wrapped + arguments + holds + options, environment: environment,
                input: .pipe))
    }

    private func keep(_ process: TestProcess) -> TestProcess {
        state.withLock { $0.processes.append(process) }
        return process
    }

    /// Starts a proxy before the coordinator.
    public func proxy() async throws -> FaultyWire {
        try await FaultyWire(to: endpoint)
    }

    /// Runs a `mobius` command that talks to the coordinator, to its end.
    public func mobius(_ arguments: String...) async throws -> (end: TestProcess.End, said: [String]) {
        let process = try TestProcess("mobius", arguments + ["--connect", "\(endpoint)-client"])
        let end = try await process.end()
        return (end, process.output.elements + process.errors.elements)
    }

    /// Runs a `mobius journal` command to its end.
    public func journal(_ arguments: String...) async throws -> TestProcess.End {
        try await TestProcess("mobius", ["journal"] + arguments).end()
    }

    // MARK: - What customers do

    /// Adds an order: a line as the coordinator's input knows it, whose second word names it.
    public func order(_ line: String) {
        state.withLock { $0.orders.append(line) }
    }

    /// Gives the coordinator all orders that were not confirmed, and waits until they are or the coordinator has ended.
    ///
    /// - Returns: whether all are confirmed.
    @discardableResult
    public func place(at coordinator: TestProcess) async throws -> Bool {
        let open = state.withLock { state in
            state.orders.filter { !state.confirmed.contains(Self.key($0)) }
        }
        for line in open { try? coordinator.type(line + "\n") }
        let wanted = Set(open.map(Self.key))
        var isLast = false
        try await eventually("\(wanted) confirmed") {
            isLast = coordinator.isGone
            let said = Set(coordinator.output.elements)
            return isLast || wanted.allSatisfy { said.contains("ok \($0)") }
        }
        if isLast { try await coordinator.end() }  // and until all it said has been read
        let said = Set(coordinator.output.elements)
        let new = wanted.filter { said.contains("ok \($0)") }
        state.withLock { $0.confirmed += new.sorted() }
        return new.count == wanted.count
    }

    /// The key under which the bank's coordinator sends what a line orders.
    public static func key(_ line: String) -> String {
        let words = line.split(separator: " ")
        return switch words[0] {
        case "open": "account-\(words[1])"
        case "audit": "audit-\(words[1])"
        case "end-interest": "end-\(words[1])"
        default: String(words[1].prefix(64))
        }
    }

    /// Opens three accounts, of which the first has all the money.
    public func openAccounts(at coordinator: TestProcess) async throws {
        for line in ["open 1 1000000", "open 2 0", "open 3 0"] { order(line) }
        try await place(at: coordinator)
    }

    /// Orders a transfer from account 1 through 2 to 3, and waits until it is confirmed.
    ///
    /// - Parameter wishes: ` letter`, ` watched`.
    public func transfer(_ id: String, _ wishes: String = "", at coordinator: TestProcess) async throws {
        order("transfer \(id) 1,2,3 10\(wishes)")
        try await place(at: coordinator)
    }

    // MARK: - What came of it

    /// The newest model.
    public func model(of coordinator: TestProcess) async throws -> Bank.Model {
        try await coordinator.ask("model", for: Bank.Model.self)
    }

    /// Waits until nothing is under way, and returns the model.
    public func finish(_ coordinator: TestProcess) async throws -> Bank.Model {
        try await see("the end of all transfers") {
            let status = try await coordinator.ask("status", for: BankStatus.self)
            guard status.isIdle else { throw NotYet(status: status) }
            return true
        }
        return try await model(of: coordinator)
    }

    /// Waits for a condition; a failure says what all processes logged last.
    public func see(_ what: String, _ condition: () async throws -> Bool) async throws {
        do {
            try await eventually(what, condition)
        } catch {
            throw Stuck(
                what: "\(error)",
                said: state.withLock { $0.processes.map { ($0.name, $0.pid, $0.errors.elements) } })
        }
    }

    /// The rows of one worker's ledger, or of all.
    public func ledger(_ name: String? = nil) throws -> [Ledger.Row] {
        let files = state.withLock { $0.ledgers }
        return try files.filter { name == nil || $0.key == name }.flatMap { name, path in
            FileManager.default.fileExists(atPath: path) ? try Ledger(path: path).rows(worker: name) : []
        }
    }

    /// Waits until nothing is under way, and says what is wrong.
    public func complaints(_ coordinator: TestProcess, journal: String? = nil) async throws -> [String] {
        let model = try await finish(coordinator)
        return Verdict.complaints(
            about: model, journal: try JournalAudit(path: journal ?? self.journal), ledgers: try ledger(),
            confirmed: confirmed)
    }
}

/// Not all transfers have ended.
private struct NotYet: Error {
    let status: BankStatus
}

/// What did not happen in time, with the ends of the logs of the bank's processes.
struct Stuck: Error, CustomStringConvertible {
    let what: String
    let said: [(name: String, pid: Int32, lines: [String])]

    var description: String {
        let words = said.map { "\($0.name), process \($0.pid):\n" + $0.lines.suffix(20).joined(separator: "\n") }
        return ([what] + words).joined(separator: "\n")
    }
}

extension TestProcess {
    /// Whether it has ended.
    public var isGone: Bool { !exists(pid) }

    /// How many lines of its log have these words.
    public func logged(_ words: String) -> Int { errors.elements.count { $0.contains(words) } }

    /// Types a word and reads the JSON that follows it in the answer.
    public func ask<Answer: Decodable>(_ word: String, for type: Answer.Type) async throws -> Answer {
        let before = output.elements.count
        try self.type("\(word)\n")
        try await output.wait(for: "the answer to \(word)") { lines in
            lines.dropFirst(before).contains { $0.hasPrefix("\(word) ") }
        }
        let line = output.elements.dropFirst(before).first { $0.hasPrefix("\(word) ") } ?? ""
        return try JSONDecoder().decode(type, from: Data(line.dropFirst(word.count + 1).utf8))
    }

    /// Waits until standard output has this line.
    public func says(_ line: String) async throws {
        try await output.wait(for: "\"\(line)\" from \(name)") { $0.contains(line) }
    }
}

/// A method of the same name hides `kill(2)` in extensions.
private func exists(_ pid: Int32) -> Bool { kill(pid, 0) == 0 }
