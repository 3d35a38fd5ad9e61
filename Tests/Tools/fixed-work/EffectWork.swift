import Foundation
import Logging
import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusJournalSQLite
import MobiusProgram
import MobiusWire

/// Effects that go to a worker and come back as events, in memory and on disk; each side is counted by itself.
enum EffectWork {
    static let window = 64
    private static let rounds = (warmUp: 32, counted: 128)

    static let rows =
        rows("fast", of: FastFetch.self) + rows("json", of: JSONFetch.self)
        + [ofSeveral, questions("coordinator-asks", of: Asking.self), questions("coordinator-sends", of: Sending.self)]

    /// The same as `coordinator-fast-memory`, in a coordinator of ten programs.
    private static let ofSeveral = FixedWork.Row(name: "coordinator-ten-programs", unit: "effect") {
        let fleet = try FetchFleet(
            InMemoryStore(remembersRecords: false), SeveralPrograms(OtherFetch<Never>.programs), counts: .coordinator
        ) { ($0.value as? FetchModel)?.answered ?? 0 }
        return try run(fleet)
    }

    /// Two loops, of which one asks the other, by the routes of a program.
    private static func questions<Program: AskingProgram>(_ name: String, of program: Program.Type) -> FixedWork.Row {
        FixedWork.Row(name: name, unit: "question") {
            let store = InMemoryStore(remembersRecords: false)
            let functions = SingleProgram<Program>(Program.routes)
            return try run(FetchFleet(store, functions, counts: .coordinator, \.answered))
        }
    }

    private static func rows<Program: FetchProgram>(_ coding: String, of program: Program.Type) -> [FixedWork.Row] {
        [
            FixedWork.Row(name: "coordinator-\(coding)-memory", unit: "effect") {
                try run(fleet(InMemoryStore(remembersRecords: false), program, counts: .coordinator))
            },
            FixedWork.Row(name: "coordinator-\(coding)-durable", unit: "effect") {
                let folder = NSTemporaryDirectory() + "fixed-work-\(getpid())"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let journal = try SQLiteJournal(path: folder + "/journal", application: "fixed-work", build: "fixed")
                defer { journal.close() }
                return try run(fleet(journal, program, counts: .coordinator))
            },
            FixedWork.Row(name: "worker-\(coding)", unit: "effect") {
                try run(fleet(InMemoryStore(remembersRecords: false), program, counts: .worker))
            },
        ]
    }

    private static func fleet<Program: FetchProgram>(
        _ store: any JournalStore, _ program: Program.Type, counts side: FetchFleet<Program>.Side
    ) throws -> FetchFleet<Program> {
        try FetchFleet(store, SingleProgram<Program>(Program.routes), counts: side, \.answered)
    }

    private static func run(_ fleet: FetchFleet<some LoopProgram>) throws -> Int {
        for _ in 0..<rounds.warmUp { try fleet.round(isCounted: false) }
        let before = fleet.answered
        for _ in 0..<rounds.counted { try fleet.round(isCounted: true) }
        precondition(fleet.answered == before + rounds.counted * window, "Each round answers all effects.")
        return fleet.answered - before
    }

    /// What turns a journal into the program's loops.
    static func recovery<Program: LoopProgram>(
        of functions: any ProgramFunctions<Program>
    ) -> LoopRecovery<Program> {
        LoopRecovery(
            ProgramCalls(functions), build: "fixed",
            logger: Logger(label: "fixed-work") { _ in SwiftLogNoOpLogHandler() },
            calendar: { WallTime(milliseconds: 0) })
    }
}
