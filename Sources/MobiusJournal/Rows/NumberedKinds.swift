package import MobiusWire

/// Payload kinds and their numbers in a journal, from 1: a kind's strings are stored once and not per record.
package struct NumberedKinds: Sendable {
    /// The journal in messages.
    private let path: String
    private var kinds: [PayloadKind] = []
    /// The identities of the kinds; `kinds` keeps them valid.
    private var identities: [ObjectIdentifier] = []
    private var numbers: [PayloadKind: UInt64] = [:]

    /// No kinds, of the journal that messages call `path`.
    package init(path: String) {
        self.path = path
    }

    /// The number of kinds, which is the last kind's number.
    package var count: Int { kinds.count }

    /// The kind with this number.
    package func kind(_ number: UInt64) throws(JournalError) -> PayloadKind {
        guard number >= 1, number <= UInt64(kinds.count) else {
            throw JournalError.damaged(path, "a record names an unknown payload kind")
        }
        return kinds[Int(number) - 1]
    }

    /// The number of a known kind; `nil` for a new one.
    package mutating func number(of kind: PayloadKind) -> UInt64? {
        number(ofCopy: kind) ?? adopt(kind)
    }

    /// Whether a kind has a number.
    package func contains(_ kind: PayloadKind) -> Bool {
        kinds.prefix(8).contains(kind) || numbers[kind] != nil
    }

    /// Gives the next number to a kind.
    package mutating func add(_ kind: PayloadKind) {
        kinds.append(kind)
        identities.append(kind.identity)
        numbers[kind] = UInt64(kinds.count)
    }

    /// Adds the kind of a row, which must be the next one and match its checksum.
    package mutating func add(
        number: Int64, type: String?, version: Int64, contentType: String?, checksum: Int64
    ) throws(JournalError) {
        guard let type, let version = UInt16(exactly: version), let contentType, number == kinds.count + 1 else {
            throw JournalError.damaged(path, "a payload kind cannot be read")
        }
        let kind = PayloadKind(type: type, version: version, contentType: contentType)
        guard RowChecksum.kind(kind) == checksum else {
            throw JournalError.damaged(path, "a payload kind is not what was written")
        }
        add(kind)
    }

    // A program has few kinds, mostly in shared storage: comparing identities is faster than hashing.
    private func number(ofCopy kind: PayloadKind) -> UInt64? {
        let (identity, first) = (kind.identity, identities.span)
        for index in 0..<min(8, first.count) where first[index] == identity { return UInt64(index) + 1 }
        return nil
    }

    /// Keeps this copy of a known kind, so that its identity matches next time: the program's own copy recurs, while
    /// the one read from the journal does not.
    private mutating func adopt(_ kind: PayloadKind) -> UInt64? {
        guard let number = numbers[kind] else { return nil }
        kinds[Int(number) - 1] = kind
        identities[Int(number) - 1] = kind.identity
        return number
    }
}
