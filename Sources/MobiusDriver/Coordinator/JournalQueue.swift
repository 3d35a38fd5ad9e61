package import MobiusCodec
package import MobiusEngine
package import MobiusJournal
package import MobiusWire

/// The steps that a journal writer has to perform, and their order.
///
/// It is pure: the journal's thread performs its steps, and so does the simulation, one after the other. Records that are appended
/// while a step is under way become one commit, up to the limits (group commit). All else is done in its order, but for reads, which
/// depend on nothing that waits: a step waits for one read at most, and a read for one step.
package struct JournalQueue {
    /// Looks something up; it cannot fail.
    package typealias Read = @Sendable (any JournalStore) -> Void
    /// Reads and writes something; an error fails the journal.
    package typealias Work = @Sendable (any JournalStore) throws(JournalError) -> Void

    /// Something to do.
    package enum Job {
        case append(Ticket, [JournalRecord], facts: [FactChange], bytes: Int)
        case save(LoopID, @Sendable () -> Result<Snapshot, CodingFailure>)
        case park([Parking])
        case read(Read)
        case perform(Work)
        case close
    }

    /// A step that is performed at once; its reports come before the next.
    package enum Step {
        case commit(Commit)
        case save(LoopID, @Sendable () -> Result<Snapshot, CodingFailure>)
        case park([Parking])
        case read(Read)
        /// In their order.
        case perform([Work])
        /// The last.
        case close
    }

    /// The records of one commit.
    package struct Commit {
        package private(set) var tickets: [Ticket] = []
        /// The appended arrays, not concatenated, because that would copy each record.
        package private(set) var records: [[JournalRecord]] = []
        /// The facts that change with them, in the same order.
        package private(set) var facts: [FactChange] = []
        /// The number of records.
        package private(set) var count = 0
        fileprivate private(set) var bytes = 0

        fileprivate init() {}

        fileprivate mutating func add(
            _ ticket: Ticket, _ added: [JournalRecord], _ changed: [FactChange], bytes: Int
        ) {
            tickets.append(ticket)
            if !changed.isEmpty { facts += changed }
            if !added.isEmpty { records.append(added) }
            count += added.count
            self.bytes += bytes
        }
    }

    /// The most records of one commit.
    ///
    /// It is large, because the number of records hardly affects the time of a commit; their bytes do.
    package static let maximumRecords = 4096
    /// The payload bytes at which a commit is full.
    package static let maximumBytes = 1 << 20
    /// Most works look something up, which takes no flush: a commit must not wait for hundreds of steps.
    private static let maximumWorks = 256

    private let maximumRecords: Int
    /// The steps in their order, the next at ``first``.
    private var steps: [Step] = []
    private var first = 0
    /// The commit behind all steps, which grows; not among them, so that its arrays are never copied.
    private var collected = Commit()
    private var reads: [Read] = []
    private var firstRead = 0
    private var isReadNext = false
    private var hasFailed = false

    /// An empty queue, whose commits have at most about so many records.
    package init(maximumRecords: Int = Self.maximumRecords) {
        self.maximumRecords = maximumRecords
    }

    package mutating func add(_ job: consuming Job) {
        switch consume job {
        case .close: enqueue(.close)
        case _ where hasFailed: break
        case .append(let ticket, let records, let facts, let bytes):
            if isFull(collected) { endCommit() }
            collected.add(ticket, records, facts, bytes: bytes)
        case .save(let loop, let snapshot): enqueue(.save(loop, snapshot))
        case .park(let loops): enqueue(.park(loops))
        case .read(let read): reads.append(read)
        case .perform(let work):
            if collected.tickets.isEmpty, first < steps.count, case .perform(var works) = steps[steps.count - 1],
                works.count < Self.maximumWorks
            {
                works.append(work)
                steps[steps.count - 1] = .perform(works)
            } else {
                enqueue(.perform([work]))
            }
        }
    }

    private mutating func enqueue(_ step: Step) {
        endCommit()
        steps.append(step)
    }

    /// Makes a commit of its own of what was collected.
    private mutating func endCommit() {
        guard !collected.tickets.isEmpty else { return }
        steps.append(.commit(collected))
        collected = Commit()
    }

    private func isFull(_ commit: Commit) -> Bool {
        commit.count >= maximumRecords || commit.bytes >= Self.maximumBytes
    }

    /// Removes and returns the next step; `nil` while there is none.
    package mutating func next() -> Step? {
        let isIdle = first == steps.count && collected.tickets.isEmpty
        if firstRead < reads.count, isReadNext || isIdle {
            isReadNext = false
            return .read(Self.pop(&reads, &firstRead))
        }
        guard !isIdle else { return nil }
        if first == steps.count { endCommit() }
        isReadNext = true
        return Self.pop(&steps, &first)
    }

    /// A step has failed: nothing more is done but to close, because only the next recovery can tell what is on disk.
    package mutating func fail() {
        hasFailed = true
        let closes = steps[first...].contains { if case .close = $0 { true } else { false } }
        (steps, first, reads, firstRead) = (closes ? [.close] : [], 0, [], 0)
        collected = Commit()
    }

    private static func pop<Element>(_ elements: inout [Element], _ first: inout Int) -> Element {
        let element = elements[first]
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: true)
            first = 0
        } else if first >= 64, 2 * first >= elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
