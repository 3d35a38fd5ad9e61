public import MobiusWire
import Synchronization

/// A journal in memory, for `--journal none` and for tests: it passes the same suite as a store on disk, but nothing
/// survives the process.
///
/// With `remembersRecords: false` it keeps nothing, so a program may run for months; reading then finds an empty
/// journal. Unlike a store on disk it also refuses (``JournalError/Code/conflict``) an event whose source was applied,
/// unless that is an outside key: so tests detect an engine that does not look sources up.
public final class InMemoryStore: JournalStore {
    /// Whether what is committed can be read again.
    public let remembersRecords: Bool
    /// Drawn when the journal is made; the same in every ``reopened(build:)`` copy.
    public let identity: JournalID
    /// 1, and one more for each ``reopened(build:)``.
    public let epoch: UInt64

    private let build: String
    private let state: Mutex<InMemoryJournal>

    /// Makes an empty journal, to be written by the build `build` of a program.
    public convenience init(remembersRecords: Bool = true, build: String = "") {
        self.init(remembersRecords: remembersRecords, build: build, limits: .standard)
    }

    /// The same with other limits, or with a history, for tests.
    package convenience init(
        remembersRecords: Bool = true, build: String = "", limits: JournalLimits = .standard,
        history: KeptHistory
    ) {
        var content = InMemoryJournal(limits: limits)
        content.history.kept = history
        var random = SystemRandomNumberGenerator()
        self.init(
            remembersRecords: remembersRecords, identity: .random(using: &random), epoch: 1, build: build,
            content: content)
    }

    /// The same with other limits, for tests.
    package convenience init(remembersRecords: Bool = true, build: String = "", limits: JournalLimits) {
        var random = SystemRandomNumberGenerator()
        self.init(
            remembersRecords: remembersRecords, identity: .random(using: &random), epoch: 1, build: build,
            content: InMemoryJournal(limits: limits))
    }

    private init(
        remembersRecords: Bool, identity: JournalID, epoch: UInt64, build: String, content: InMemoryJournal
    ) {
        self.identity = identity
        self.remembersRecords = remembersRecords
        self.epoch = epoch
        self.build = build
        self.state = Mutex(content)
    }

    /// A copy of the committed records, as the next start of a program would find them, so that a test can crash and
    /// recover.
    ///
    /// - Parameter build: The build of the program that starts; by default the same one.
    public func reopened(build: String? = nil) -> InMemoryStore {
        reopened(build: build, history: nil)
    }

    /// The same, with another choice of how much of the past is kept.
    package func reopened(build: String?, history: KeptHistory?) -> InMemoryStore {
        var content = state.withLock { $0 }
        content.isClosed = false
        if let history { content.history.kept = history }
        if let build, build != self.build { content.facts.progress = .upTo(nil) }
        return InMemoryStore(
            remembersRecords: remembersRecords, identity: identity, epoch: epoch + 1, build: build ?? self.build,
            content: content)
    }

    /// Keeps the records and facts, all or none.
    ///
    /// - Throws: ``JournalError`` with code `conflict` when a loop has applied an event of the same source, unless that is an
    ///   outside key.
    public func commit(group: [[JournalRecord]], facts: [FactChange]) throws(JournalError) {
        let records = group.count == 1 ? group[0] : Array(group.joined())
        let isNew = state.withLock { state in
            state.requireOpen()
            guard remembersRecords else { return true }
            guard state.hasNewSources(records) else { return false }
            for record in records { state.append(record, build: build) }
            for change in facts { state.facts.apply(change) }
            state.releaseHistory(at: [records].newestTime)
            return true
        }
        guard isNew else { throw .doubledSource }
    }

    /// Replaces facts; see ``JournalStore/rebuild(_:step:)``.
    public func rebuild(_ facts: [RebuiltFacts], step: FactStep?) throws(JournalError) {
        write { state in
            for facts in facts where state.loops[facts.loop]?.last?.sequence == facts.sequence {
                state.facts.apply(FactChange(facts.loop, replacedBy: facts.facts))
            }
            guard let step else { return }
            state.facts.progress = step.progress
            let gone = state.facts.loops.keys.filter { step.contains($0) && state.loops[$0]?.last == nil }
            for loop in gone { state.facts.loops[loop] = nil }
        }
    }

    /// The progress of this build; see ``JournalStore/factProgress()``.
    public func factProgress() throws(JournalError) -> FactProgress { read { $0.facts.progress } }

    /// Keeps a snapshot, and drops the records before the previous one.
    public func save(_ snapshot: Snapshot) throws(JournalError) {
        write { $0.keep(snapshot) }
    }

    /// Keeps snapshots and notes idle loops; see ``JournalStore/park(_:_:)``.
    public func park(_ loops: [IdleLoop], _ snapshots: [Snapshot]) throws(JournalError) {
        write { state in
            for snapshot in snapshots { state.keep(snapshot) }
            for loop in loops { state.park(loop) }
        }
    }

    /// Whether the effect was requeued; see ``JournalStore/wasRequeued(_:)``.
    ///
    /// All are known.
    public func wasRequeued(_ id: EffectID) throws(JournalError) -> Bool {
        read { $0.loops[id.loop]?.requeued.contains(id) == true }
    }

    /// Counts a crash; see ``JournalStore/noteCrash(_:build:epoch:at:)``.
    public func noteCrash(
        _ breadcrumb: Breadcrumb, build: String, epoch: UInt64, at time: WallTime
    ) throws(JournalError) -> Int {
        write { $0.crashes.note(breadcrumb, build: build, epoch: epoch, at: time) } ?? 1
    }

    /// Remembers that an event is to be dropped; see ``JournalStore/markDropped(_:of:)``.
    public func markDropped(_ source: SourceKey, of loop: LoopID) throws(JournalError) {
        write { $0.crashes.markDropped(source, of: loop) }
    }

    /// Forgets the crashes on one event.
    public func forgetCrash(_ source: SourceKey, of loop: LoopID) throws(JournalError) {
        write { $0.crashes.all.removeAll { $0.breadcrumb.loop == loop && $0.breadcrumb.source == source } }
    }

    /// Keeps a pool's pause, or none; also where nothing else is remembered.
    public func setPause(_ pause: PoolPause?, of pool: String) throws(JournalError) {
        state.withLock { state in
            state.requireOpen()
            state.pauses[pool] = pause
        }
    }

    /// The pauses of the pools that are paused.
    public func pausedPools() throws(JournalError) -> [String: PoolPause] {
        read { $0.pauses }
    }

    /// Removes an ended loop, all at once.
    public func remove(ended loop: LoopID, rows: Int) throws(JournalError) -> Bool {
        write { $0.remove(ended: loop) } ?? true
    }

    /// Ends the use of this store; ``reopened(build:)`` still works.
    public func close() {
        state.withLock { state in
            state.requireOpen()
            state.isClosed = true
        }
    }

    @discardableResult
    private func write<T: Sendable>(_ body: @Sendable (inout InMemoryJournal) -> T) -> T? {
        state.withLock { state in
            state.requireOpen()
            return remembersRecords ? body(&state) : nil
        }
    }

    func read<T: Sendable>(_ body: @Sendable (InMemoryJournal) -> T) -> T {
        state.withLock { state in
            state.requireOpen()
            return body(state)
        }
    }
}
