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

// A process to be killed. `journal-torture write FILE [BYTES]` commits the made-up history from wherever it stands and prints each
// batch's last sequence number once it is committed, for ever; with BYTES no file may grow beyond that.
// `journal-torture hold FILE` opens the journal, says so and waits. Errors are printed as their code, exit code 1.

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

func write(to path: String) throws {
    let journal = try SQLiteJournal(path: path, application: "torture", build: "test")
    let recovered = try RecoveredLoop.read(.main, from: journal).loop.lastSequence
    if recovered == nil { try journal.commit([History.start]) }
    var last = recovered ?? 0
    say("epoch \(journal.epoch)")
    while true {
        let size = UInt64.random(in: 1...60)
        try journal.commit(History.batch(after: last, count: size))
        last += size
        say("\(last)")
        // Rarely, as it counts through the whole history.
        if UInt64.random(in: 0..<16) == 0 { try journal.save(History.snapshot(at: last)) }
    }
}

let arguments = CommandLine.arguments.dropFirst()
let path = arguments.dropFirst().first ?? ""
do {
    switch arguments.first {
    case "write":
        if let bytes = arguments.dropFirst(2).first.flatMap({ UInt64($0) }) { limitFiles(to: bytes) }
        try write(to: path)
    case "hold":
        let journal = try SQLiteJournal(path: path, application: "torture", build: "test")
        say("holding in epoch \(journal.epoch)")
        while true { pause() }
    default:
        say("usage: journal-torture write FILE [BYTES] | hold FILE")
        exit(64)
    }
} catch let error as JournalError {
    say("error \(error.code): \(error)")
    exit(1)
}
