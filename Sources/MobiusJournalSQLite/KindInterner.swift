import GRDB
import MobiusJournal
import MobiusWire

/// Maps payload kinds to numbers from 1, so that a kind's strings are stored once and not per record.
struct KindInterner {
    private let path: String
    private var kinds: [PayloadKind] = []
    /// The identities of the kinds; `kinds` keeps them valid.
    private var identities: [ObjectIdentifier] = []
    private var numbers: [PayloadKind: UInt64] = [:]

    init(_ database: Database, path: String) throws {
        self.path = path
        let statement = try RawStatement(
            database, "SELECT id, type, version, content_type, checksum FROM kinds ORDER BY id")
        defer { statement.reset() }
        while try statement.next() {
            guard let type = statement.text(1), let version = UInt16(exactly: statement.number(2)),
                let contentType = statement.text(3), statement.number(0) == kinds.count + 1
            else { throw JournalError.damaged(path, "a payload kind cannot be read") }
            let kind = PayloadKind(type: type, version: version, contentType: contentType)
            guard Self.checksum(kind) == statement.number(4) else {
                throw JournalError.damaged(path, "a payload kind is not what was written")
            }
            remember(kind)
        }
    }

    /// The kind with this number.
    func kind(_ number: UInt64) throws(JournalError) -> PayloadKind {
        guard number >= 1, number <= UInt64(kinds.count) else {
            throw JournalError.damaged(path, "a record names an unknown payload kind")
        }
        return kinds[Int(number) - 1]
    }

    /// The number of a kind; a new kind is inserted.
    mutating func number(_ kind: PayloadKind, _ database: Database) throws -> UInt64 {
        if let number = number(ofCopy: kind) ?? adopt(kind) { return number }
        try insert(kind, database)
        remember(kind)
        return UInt64(kinds.count)
    }

    // A program has few kinds, mostly in shared storage: comparing identities is faster than hashing.
    private func number(ofCopy kind: PayloadKind) -> UInt64? {
        let (identity, first) = (kind.identity, identities.span)
        for index in 0..<min(8, first.count) where first[index] == identity { return UInt64(index) + 1 }
        return nil
    }

    /// Keeps this copy of a known kind, so that its identity matches next time: the program's own copy recurs, while
    /// the one read from the file does not.
    private mutating func adopt(_ kind: PayloadKind) -> UInt64? {
        guard let number = numbers[kind] else { return nil }
        kinds[Int(number) - 1] = kind
        identities[Int(number) - 1] = kind.identity
        return number
    }

    // Not through GRDB's arguments, which end a text at its first NUL character.
    private func insert(_ kind: PayloadKind, _ database: Database) throws {
        let statement = try RawStatement(
            database, "INSERT INTO kinds (id, type, version, content_type, checksum) VALUES (?, ?, ?, ?, ?)")
        defer { statement.reset() }
        var (type, contentType) = (kind.type, kind.contentType)
        try type.withUTF8 { type in
            try contentType.withUTF8 { contentType in
                statement.bind(Int64(kinds.count) + 1, 1)
                statement.bindText(UnsafeRawBufferPointer(type), 2)
                statement.bind(Int64(kind.version), 3)
                statement.bindText(UnsafeRawBufferPointer(contentType), 4)
                statement.bind(Self.checksum(kind), 5)
                try statement.run()
            }
        }
    }

    /// Whether a kind is stored.
    func contains(_ kind: PayloadKind) -> Bool {
        kinds.prefix(8).contains(kind) || numbers[kind] != nil
    }

    private mutating func remember(_ kind: PayloadKind) {
        kinds.append(kind)
        identities.append(kind.identity)
        numbers[kind] = UInt64(kinds.count)
    }

    private static func checksum(_ kind: PayloadKind) -> Int64 {
        var sum = RowChecksum()
        sum.add(kind.type)
        sum.add(UInt64(kind.version))
        sum.add(kind.contentType)
        return sum.value
    }
}
