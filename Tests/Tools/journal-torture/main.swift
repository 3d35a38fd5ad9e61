import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// A process to be killed.
//
//     journal-torture write FILE [BYTES]     commits the made-up history from wherever it stands and prints each batch's last
//                                            sequence number once it is committed, for ever; with BYTES no file may grow
//                                            beyond that
//     journal-torture compact FILE           the same with snapshots so often that compaction is always at work
//     journal-torture keep FILE              the same as compact with a window of a history, and an event per second in its times
//     journal-torture fail-fsync FILE COUNT  the same, but after COUNT fsyncs each one fails
//     journal-torture hold FILE              opens the journal, says so and waits
//     journal-torture backup FILE TARGET     copies it; stops in the middle for ever
//
// Errors are printed as their code, exit code 1.

func say(_ line: String) {
    // One write per line, unbuffered: what was printed was committed before.
    let line = line + "\n"
    _ = write(1, line, line.utf8.count)
}

func limitFiles(to bytes: UInt64) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
        setrlimit(RLIMIT_FSIZE, &limit)
    #endif
}

func openJournal(_ path: String, _ history: KeptHistory = .needed) throws -> SQLiteJournal {
    try SQLiteJournal(path: path, application: "torture", build: "test", history: history)
}

/// The record with the time at which its event would come if one came each second.
func timed(_ record: JournalRecord) -> JournalRecord {
    guard case .event(var event) = record else { return record }
    event.time = WallTime(milliseconds: Int64(event.sequence) * 1000)
    return .event(event)
}

/// Commits for ever, with a snapshot after about so many batches: rarely, as it counts through the whole history.
func write(to path: String, snapshotEvery batches: UInt64 = 16, _ history: KeptHistory = .needed) throws {
    let journal = try openJournal(path, history)
    let recovered = try RecoveredLoop.read(.main, from: journal).loop.lastSequence
    if recovered == nil { try journal.commit([History.start]) }
    var last = recovered ?? 0
    say("epoch \(journal.epoch)")
    while true {
        let size = UInt64.random(in: 1...60)
        var records = History.batch(after: last, count: size)
        if history != .needed { records = records.map(timed) }
        try journal.commit(records)
        last += size
        say("\(last)")
        if UInt64.random(in: 0..<batches) == 0 { try journal.save(History.snapshot(at: last)) }
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let path = arguments.dropFirst().first ?? ""
do {
    switch arguments.first {
    case "write":
        if let bytes = arguments.dropFirst(2).first.flatMap({ UInt64($0) }) { limitFiles(to: bytes) }
        try write(to: path)
    case "compact": try write(to: path, snapshotEvery: 4)
    case "keep": try write(to: path, snapshotEvery: 4, .window(HistoryWindow(age: .seconds(1000))))
    case "fail-fsync" where arguments.count == 3:
        FailingDisk.fail(after: Int(arguments[2]) ?? 0)
        try write(to: path)
    case "hold":
        let journal = try openJournal(path)
        say("holding in epoch \(journal.epoch)")
        while true { pause() }
    case "backup" where arguments.count == 3:
        let inspector = try JournalInspector(path: path)
        let report = try inspector.backup(to: arguments[2]) { done, total in
            guard done < total else { return }
            say("copied \(done) of \(total)")
            while true { pause() }
        }
        say("whole: \(report.isSound)")
    default:
        say(
            "usage: journal-torture write FILE [BYTES] | compact FILE | keep FILE | fail-fsync FILE COUNT | hold FILE | backup FILE TARGET"
        )
        exit(64)
    }
} catch let error as JournalError {
    say("error \(error.code): \(error)")
    exit(1)
}
