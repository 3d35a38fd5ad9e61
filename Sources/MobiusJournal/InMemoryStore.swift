public import MobiusWire
import Synchronization

/// A journal in memory, for `--journal none` and for tests: it passes the same suite as a store on disk, but nothing
/// survives the process.
///
/// With `remembersRecords: false` it keeps nothing at all, so a program may run for months on it; reading then finds an
/// empty journal.
public final class InMemoryStore: JournalStore {
    /// Whether what is committed can be read again.
    public let remembersRecords: Bool
    /// Drawn when the journal is made; the same in every ``reopened()`` copy.
    public let identity: JournalID
    /// 1, and one more for each ``reopened()``.
    public let epoch: UInt64

    private let state: Mutex<State>

    /// Makes an empty journal.
    public convenience init(remembersRecords: Bool = true) {
        var random = SystemRandomNumberGenerator()
        self.init(
            remembersRecords: remembersRecords, identity: .random(using: &random), epoch: 1, content: [:])
    }

    private init(remembersRecords: Bool, identity: JournalID, epoch: UInt64, content: [LoopID: LoopContent]) {
        self.identity = identity
        self.remembersRecords = remembersRecords
        self.epoch = epoch
        self.state = Mutex(State(loops: content))
    }

    /// A copy of what is committed, as the next start of a program would find it: so that a test can crash and recover.
    public func reopened() -> InMemoryStore {
        InMemoryStore(
            remembersRecords: remembersRecords, identity: identity, epoch: epoch + 1,
            content: state.withLock { $0.loops })
    }

    /// The newest snapshot of a loop, or `nil` when there is none or nothing is remembered.
    public func newestSnapshot(of loop: LoopID) throws(JournalError) -> Snapshot? {
        let snapshot = read { $0.loops[loop]?.snapshot }
        if let snapshot, FNV1a.hash(snapshot.model.bytes) != snapshot.hash {
            throw JournalError(.damaged, "The model in the snapshot of loop \(loop) is not what its hash says.")
        }
        return snapshot
    }

    /// Calls `visit` for each record after the newest snapshot; see ``JournalStore/readTail(of:_:)``.
    public func readTail(of loop: LoopID, _ visit: (JournalRecord) throws -> Void) throws {
        for record in read({ $0.loops[loop]?.tail ?? [] }) {
            try visit(record)
        }
    }

    /// The outside keys that the loop has applied, oldest first, at most the newest `limit`.
    public func outsideKeys(of loop: LoopID, limit: Int) throws(JournalError) -> [String] {
        precondition(limit >= 0, "A limit is not negative.")
        return read { Array($0.loops[loop]?.outsideKeys.suffix(limit) ?? []) }
    }

    /// Keeps the records, all or none.
    ///
    /// - Throws: ``JournalError`` with code `conflict` when a loop has applied an event of the same source.
    public func commit(_ records: [JournalRecord]) throws(JournalError) {
        let isNew = state.withLock { state in
            state.requireOpen()
            guard remembersRecords else { return true }
            guard state.hasNewSources(records) else { return false }
            for record in records {
                state.loops[record.loop, default: LoopContent()].append(record)
            }
            return true
        }
        guard isNew else { throw .doubledSource }
    }

    /// Keeps a snapshot instead of the records before it.
    public func save(_ snapshot: Snapshot) throws(JournalError) {
        state.withLock { state in
            state.requireOpen()
            guard remembersRecords else { return }
            state.loops[snapshot.loop, default: LoopContent()].keep(snapshot)
        }
    }

    /// Ends the use of this store; ``reopened()`` still works.
    public func close() {
        state.withLock { state in
            state.requireOpen()
            state.isClosed = true
        }
    }

    private func read<T: Sendable>(_ body: @Sendable (State) -> T) -> T {
        state.withLock { state in
            state.requireOpen()
            return body(state)
        }
    }
}

private struct State {
    var loops: [LoopID: LoopContent]
    var isClosed = false

    func requireOpen() {
        precondition(!isClosed, "This journal is closed: open it again to use it.")
    }

    /// Asked before anything is kept, so that a commit is kept whole or not at all.
    func hasNewSources(_ records: [JournalRecord]) -> Bool {
        var sources: [LoopID: Set<SourceKey>] = [:]
        for case .event(let event) in records {
            if loops[event.loop]?.sources.contains(event.source) == true { return false }
            guard sources[event.loop, default: []].insert(event.source).inserted else { return false }
        }
        return true
    }
}

private struct LoopContent {
    var last: RecordPlace?
    var snapshot: Snapshot?
    var tail: [JournalRecord] = []
    var outsideKeys: [String] = []
    var sources: Set<SourceKey> = []

    mutating func append(_ record: JournalRecord) {
        let place = RecordPlace.of(record, after: last)
        if case .event(let event) = record {
            sources.insert(event.source)
            if case .outside(let key) = event.source { outsideKeys.append(key) }
        }
        tail.append(record)
        last = place
    }

    mutating func keep(_ snapshot: Snapshot) {
        snapshot.requirePlace(last)
        self.snapshot = snapshot
        tail.removeAll()
    }
}
