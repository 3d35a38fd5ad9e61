public import MobiusJournal
import MobiusWire

/// The suite that every ``JournalStore`` must pass: one check per promise, to be run as arguments of a test.
///
///     @Test(arguments: JournalStoreCompatibility.checks)
///     func keepsThePromise(_ check: JournalStoreCompatibility.Check) throws {
///         try check.run { build in try MyStore(in: folder, build: build) }
///     }
public enum JournalStoreCompatibility {
    /// Opens one and the same journal for a build of the program: empty at the first call; at each later one the store before
    /// has been closed.
    public typealias Open = (_ build: String) throws -> any JournalStore

    /// One promise.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise in words.
        public let description: String
        private let body: @Sendable (Open) throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (Open) throws -> Void) {
            self.description = description
            self.body = body
        }

        /// Checks a journal that is new.
        ///
        /// - Throws: ``Incompatibility`` when the promise is broken; what the store throws.
        public func run(open: Open) throws {
            try body(open)
        }
    }

    /// Every check.
    public static let checks: [Check] = checksOfRecords + factChecks

    /// All but those of facts, which follow from records: a copy does not take them along.
    public static let checksOfRecords: [Check] =
        openingChecks + recordChecks + snapshotChecks + keyChecks + replyChecks + deadLetterChecks + crashChecks
        + historyChecks + endChecks + idleChecks + prefetchChecks + pauseChecks
}

/// A promise that a store does not keep.
public struct Incompatibility: Error, CustomStringConvertible {
    /// What was found instead.
    public let description: String
}

/// Throws ``Incompatibility`` when the two differ.
func require<T: Equatable>(_ found: T, is expected: T, _ what: String) throws {
    guard found != expected else { return }
    throw Incompatibility(description: "\(what): expected \(expected), found \(found)")
}

/// Runs `body`, which must throw a ``JournalError`` of `code`.
func require(_ code: JournalError.Code, _ what: String, from body: () throws -> Void) throws {
    do {
        try body()
    } catch let error as JournalError where error.code == code {
        return
    }
    throw Incompatibility(description: "\(what): expected the error \(code)")
}

/// Opens the journal, uses it and closes it.
func session<T>(
    _ open: JournalStoreCompatibility.Open, build: String = "1.0", _ body: (any JournalStore) throws -> T
) throws -> T {
    let store = try open(build)
    defer { store.close() }
    return try body(store)
}

extension JournalReading {
    /// Everything after the newest snapshot.
    func tail(of loop: LoopID) throws -> [JournalRecord] {
        var records: [JournalRecord] = []
        try readTail(of: loop) { records.append($0) }
        return records
    }

    /// Everything between the snapshots.
    func between(of loop: LoopID) throws -> [JournalRecord] {
        var records: [JournalRecord] = []
        try readBetweenSnapshots(of: loop) { records.append($0) }
        return records
    }
}
