import MobiusJournal
import MobiusJournalTables
import MobiusWire

/// Finds the sources that a loop has applied twice; sorts them in a temporary SQLite file, because they may not fit in
/// memory.
final class SourceSorter: SourceSet {
    private static let batch = 4096

    // A database without a name: SQLite keeps it in memory while it is small, and then in a hidden temporary file.
    private let database: Database
    private var waiting: [(source: SourceKey, sequence: UInt64)] = []

    init() throws {
        database = try Database("", shown: "")
        try database.execute(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE sources (source BLOB NOT NULL, sequence INTEGER NOT NULL);
            """)
    }

    /// Adds the source of an event.
    func add(_ source: SourceKey, _ sequence: UInt64) throws {
        waiting.append((source, sequence))
        if waiting.count == Self.batch { try flush() }
    }

    /// Visits the events whose source an earlier event had: the last one for each source, with the first one.
    ///
    /// Outside keys count only if the key of the first one must still have been stored at the last one.
    func visitDoubled(_ visit: (_ sequence: UInt64, _ earlier: UInt64) throws -> Void) throws {
        try flush()
        let outside = SourceKey.outside("").bytes[0]
        try database.visit(
            "SELECT max(sequence), min(sequence), source FROM sources GROUP BY source HAVING count(*) > 1 ORDER BY 1"
        ) { row in
            let (sequence, earlier) = (row.number(0), row.number(1))
            if row.bytes(2).first != outside || sequence - earlier <= JournalLimits.standard.outsideKeys {
                try visit(UInt64(bitPattern: sequence), UInt64(bitPattern: earlier))
            }
            return true
        }
    }

    private func flush() throws {
        for (source, sequence) in waiting {
            try database.run("INSERT INTO sources (source, sequence) VALUES (?, ?)", [source.bytes, sequence])
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
