/// The kinds of a message's payloads, written once ahead of its records, which name them by position.
struct KindTable {
    /// As many as the number ahead of the table can count.
    static let maximum = 255

    private var kinds: [PayloadKind] = []

    /// The table of no payloads.
    init() {}

    /// Adds the kinds of the records' payloads.
    mutating func add<Record>(_ records: [Record], _ kind: (borrowing Record) -> PayloadKind?) {
        let records = records.span
        for position in records.indices {
            if let kind = kind(records[position]) { add(kind) }
        }
    }

    /// Adds a payload's kind; more than ``maximum`` kinds in one message are a programmer error.
    mutating func add(_ kind: PayloadKind) {
        guard kinds.last != kind, !kinds.contains(kind) else { return }
        precondition(
            kinds.count < Self.maximum,
            "A message holds at most \(Self.maximum) kinds of payload: send several messages.")
        kinds.append(kind)
    }

    /// The most bytes that ``write(to:)`` writes.
    var length: Int {
        kinds.reduce(1) { $0 + 4 + $1.type.utf8.count + $1.contentType.utf8.count }
    }

    func write(to writer: inout ByteWriter) {
        writer.uint8(UInt8(kinds.count))
        for kind in kinds {
            writer.shortString(kind.type)
            writer.uint16(kind.version)
            writer.shortString(kind.contentType)
        }
    }

    /// Reads a table; of the kinds that are `known`, these are taken.
    init(from reader: inout WireReader, known: [PayloadKind] = []) throws(WireError) {
        for _ in 0..<Int(try reader.uint8("kinds")) {
            let type = try reader.shortString("type")
            let version = try reader.uint16("type version")
            let contentType = try reader.shortString("content type")
            // A constant's string costs no counting of references, and every payload holds one.
            let shared = PayloadKind.knownContentTypes.first { $0 == contentType } ?? contentType
            let kind = PayloadKind(type: type, version: version, contentType: shared)
            kinds.append(known.first { $0 == kind } ?? kind)
        }
    }

    func index(of kind: PayloadKind) -> UInt8 {
        let kinds = kinds.span
        for index in kinds.indices where kinds[index] == kind { return UInt8(index) }
        preconditionFailure("Every payload of a message must be in its table of kinds.")
    }

    func kind(at index: UInt8) throws(WireError) -> PayloadKind {
        guard Int(index) < kinds.count else { throw WireError(.invalidField, "kind \(index) of \(kinds.count)") }
        return kinds[Int(index)]
    }
}
