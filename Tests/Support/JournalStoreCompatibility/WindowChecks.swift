public import MobiusJournal
import MobiusWire

extension JournalStoreCompatibility {
    /// Opens one and the same journal like ``Open``, with a choice of how much of the past it keeps.
    public typealias OpenKeeping = (_ history: KeptHistory) throws -> any JournalStore

    /// A promise about the history that a store keeps.
    public struct WindowCheck: Sendable, CustomStringConvertible {
        /// The promise in words.
        public let description: String
        private let body: @Sendable (OpenKeeping) throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (OpenKeeping) throws -> Void) {
            self.description = description
            self.body = body
        }

        /// Checks a journal that is new.
        ///
        /// - Throws: ``Incompatibility`` when the promise is broken; what the store throws.
        public func run(open: OpenKeeping) throws {
            try body(open)
        }
    }

    /// Every check of a store that can keep a history.
    public static let windowChecks = [
        WindowCheck("all events within a window's age are kept, with a snapshot before them; older ones go") { open in
            var writer = TimedHistory()
            let window = KeptHistory.window(HistoryWindow(age: .seconds(300)))
            for _ in 0..<4 {
                let store = try open(window)
                defer { store.close() }
                for _ in 0..<50 {
                    try writer.write(store)
                    try requireWindow(store, of: writer, seconds: 300)
                }
            }
            let store = try open(window)
            defer { store.close() }
            let first = try store.entries(of: .main, JournalRange(limit: 1)).first ?? 0
            // A segment has 20 events, 10 s each; the last two of a loop are always kept.
            guard first > 0, first + 200 > writer.last else {
                throw Incompatibility(description: "of \(writer.last) events those from \(first) on are kept")
            }
        },
        WindowCheck("a window of few bytes keeps what recovery needs, one of many keeps everything") { open in
            var writer = TimedHistory()
            var store = try open(.window(HistoryWindow(bytes: 1 << 30)))
            for _ in 0..<60 { try writer.write(store) }
            try require(try store.entries(of: .main, JournalRange(limit: 1)).first, is: 0, "the first of many bytes")
            store.close()
            store = try open(.window(HistoryWindow(bytes: 0)))
            defer { store.close() }
            for _ in 0..<120 { try writer.write(store) }
            let first = try store.entries(of: .main, JournalRange(limit: 1)).first ?? 0
            guard first + 80 > writer.last else {
                throw Incompatibility(description: "of \(writer.last) events those from \(first) on are kept")
            }
            try require(try RecoveredLoop.read(.main, from: store).loop.lastSequence, is: writer.last, "last event")
        },
        WindowCheck("what was kept stays readable when the choice changes, until it is beyond the new one") { open in
            var writer = TimedHistory()
            func session(_ kept: KeptHistory, _ rounds: Int) throws -> UInt64 {
                let store = try open(kept)
                defer { store.close() }
                for _ in 0..<rounds { try writer.write(store) }
                try requireModels(store, of: writer)
                return try store.entries(of: .main, JournalRange(limit: 1)).first ?? .max
            }
            try require(try session(.all, 40), is: 0, "first event when all is kept")
            let hour = KeptHistory.window(HistoryWindow(age: .seconds(3600)))
            try require(try session(hour, 20), is: 0, "first event in a window that is long enough")
            try require(try session(.all, 20), is: 0, "first event when all is kept again")
            let few = try session(.window(HistoryWindow(age: .seconds(60))), 80)
            guard few > 300 else { throw Incompatibility(description: "events from \(few) on are kept") }
            let fewer = try session(.needed, 80)
            guard fewer > few else { throw Incompatibility(description: "events from \(fewer) on are kept") }
            try require(try session(.all, 20), is: try session(.all, 1), "first event when all is kept from then on")
        },
        WindowCheck("the window of a journal is shared by its loops, and a removed loop leaves nothing") { open in
            let store = try open(.window(HistoryWindow(age: .seconds(100))))
            defer { store.close() }
            var writer = TimedHistory()
            try store.commit([start(other)])
            for round in UInt64(1)...20 {
                try store.commit([outside(round, "k\(round)", of: other)])
                try store.save(snapshot(round, model: payload("m"), of: other))
            }
            for _ in 0..<60 { try writer.write(store) }
            try requireWindow(store, of: writer, seconds: 100)
            let first = try store.entries(of: other, JournalRange(limit: 1)).first
            guard let first, first >= 18 else {
                throw Incompatibility(description: "events of another loop from \(first ?? 0) on are kept")
            }
            for round in UInt64(21)...30 {
                try store.commit([outside(round, "k\(round)", of: other)])
                try store.save(snapshot(round, model: payload("m"), of: other))
            }
            let end = EndedLoop(loop: other, sequence: 31, time: time(1), mayBeginAgain: false)
            try store.commit([outside(31, "end", effects: [payload("end")], of: other), ended(end)])
            var parts = 1
            while try !store.remove(ended: other, rows: 20), parts < 100 { parts += 1 }
            try store.commit([start(other), outside(1, "k", of: other)])
            try store.save(snapshot(1, model: payload("m"), of: other))
            for _ in 0..<60 { try writer.write(store) }
            try require(try store.tail(of: other), is: [], "tail of the later loop")
            try require(try store.entries(of: other, JournalRange(limit: 9)).first, is: 0, "its first event")
        },
    ]

    /// All events that are not older than the window can be read, and a snapshot stands before them.
    private static func requireWindow(_ store: any JournalStore, of writer: TimedHistory, seconds: UInt64) throws {
        let oldest = writer.last - min(writer.last, seconds / TimedHistory.secondsPerEvent)
        let first = try store.entries(of: .main, JournalRange(limit: 1)).first ?? .max
        guard first <= oldest else {
            throw Incompatibility(description: "event \(oldest) is in the window, and the first is \(first)")
        }
        if first > 0 {
            let snapshot = try store.snapshot(of: .main, upTo: oldest)
            guard let snapshot, snapshot.sequence + 1 >= first else {
                throw Incompatibility(description: "no snapshot is kept at or before event \(oldest)")
            }
        }
        try requireModels(store, of: writer)
    }

    /// From each kept snapshot on, all events are there.
    private static func requireModels(_ store: any JournalStore, of writer: TimedHistory) throws {
        guard let oldest = try store.oldestSnapshot(of: .main) else { return }
        try require(oldest, is: History.snapshot(at: oldest.sequence), "the oldest snapshot")
        var next = oldest.sequence + 1
        while next <= writer.last {
            let page = try store.entries(of: .main, JournalRange(from: next, limit: 1000))
            for case .event(let event) in page.entries.map(\.record) {
                try require(event.sequence, is: next, "event")
                next += 1
            }
            guard page.more else { break }
        }
        try require(next, is: writer.last + 1, "events after the oldest snapshot")
    }
}

/// Writes ``History`` with times: an event every ten seconds, and a snapshot after each twenty.
private struct TimedHistory {
    static let secondsPerEvent: UInt64 = 10
    private(set) var last: UInt64 = 0
    private var hasBegun = false

    /// Commits ten events, after each other one of these calls a snapshot.
    mutating func write(_ store: any JournalStore) throws {
        if !hasBegun { try store.commit([History.start]) }
        hasBegun = true
        let records = History.batch(after: last, count: 10).map { record -> JournalRecord in
            guard case .event(var event) = record else { return record }
            event.time = time(Int64(event.sequence * Self.secondsPerEvent) * 1000)
            return .event(event)
        }
        try store.commit(records)
        last += 10
        if last % 20 == 0 { try store.save(History.snapshot(at: last)) }
    }
}
