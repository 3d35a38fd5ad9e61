/// Some rows of a report, few enough for one effect.
///
/// A part is identical whenever it is sent: a writer may store it again under its name.
public struct ReportPart: Codable, Sendable, Equatable {
    /// The report's id: that of its request.
    public var report: String
    /// The absolute path of the folder that the report goes to.
    public var directory: String
    /// From 0, without gaps.
    public var number: Int
    /// Its rows, in any order.
    public var rows: ReportRows

    /// Describes a part.
    public init(report: String, directory: String, number: Int, rows: ReportRows) {
        self.report = report
        self.directory = directory
        self.number = number
        self.rows = rows
    }

    /// The name of the folder, within the report's folder, for its parts until it is assembled.
    package static func folderName(of report: String) -> String {
        folderPrefix + String(Fragment.hash(report), radix: 16)
    }

    /// What the names of such folders begin with.
    package static let folderPrefix = ".site-audit-parts-"
}

/// All parts of a report were sent: it can be assembled.
public struct ReportAssembly: Codable, Sendable, Equatable {
    /// Which report.
    public var report: String
    /// How many parts it has.
    public var parts: Int
    /// Its data on the whole audit.
    public var head: ReportHead

    /// Describes a report to assemble.
    public init(report: String, parts: Int, head: ReportHead) {
        self.report = report
        self.parts = parts
        self.head = head
    }
}

/// Packed rows, with each text once.
public struct ReportRows: Sendable, Equatable {
    /// The rows.
    public var rows: [ReportRow]

    /// Rows to be packed.
    public init(_ rows: [ReportRow]) { self.rows = rows }
}

extension ReportRows: Codable {
    /// Reads packed rows.
    public init(from decoder: any Decoder) throws { self = try PackedRows(from: decoder).rows }

    /// Writes packed rows.
    public func encode(to encoder: any Encoder) throws { try PackedRows(rows: self).encode(to: encoder) }
}

/// The encoded form of ``ReportRows``.
private struct PackedRows: PackedCodable {
    var rows: ReportRows

    init(rows: ReportRows) { self.rows = rows }

    init(from reader: inout PackedReader) throws(PackedReader.Damaged) { rows = try ReportRows(from: &reader) }

    func pack(into writer: inout PackedWriter) { rows.pack(into: &writer) }
}

extension ReportRows {
    fileprivate init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        let texts = try reader.array { reader throws(PackedReader.Damaged) in try reader.text() }
        func text(_ reader: inout PackedReader) throws(PackedReader.Damaged) -> String {
            let index = try reader.number(Int.self)
            guard texts.indices.contains(index) else { throw PackedReader.Damaged() }
            return texts[index]
        }
        rows = try reader.array { reader throws(PackedReader.Damaged) in
            guard let kind = ReportRow.Kind(rawValue: try reader.number()) else { throw PackedReader.Damaged() }
            let (page, line) = (try text(&reader), try reader.number(Int.self))
            let (link, note, status) = (try text(&reader), try text(&reader), try reader.number(Int.self))
            return ReportRow(
                kind: kind, page: page, line: line, link: link, note: note, status: status == 0 ? nil : status)
        }
    }

    fileprivate func pack(into writer: inout PackedWriter) {
        var numbers: [String: Int] = [:]
        var texts: [String] = []
        func number(_ text: String) -> Int {
            if let number = numbers[text] { return number }
            numbers[text] = texts.count
            texts.append(text)
            return texts.count - 1
        }
        let columns = rows.map { (number($0.page), number($0.link), number($0.note)) }
        writer.put(texts) { $1.put($0) }
        writer.put(rows.count)
        for (row, (page, link, note)) in zip(rows, columns) {
            writer.put(row.kind.rawValue)
            writer.put(page)
            writer.put(row.line)
            writer.put(link)
            writer.put(note)
            writer.put(row.status ?? 0)
        }
    }
}

// MARK: - As a file

extension ReportRows {
    /// Packed, with a checksum at the end: a power failure may leave half of a file that was not synced.
    package var sealed: [UInt8] {
        var writer = PackedWriter()
        pack(into: &writer)
        let sum = Fragment.hash(writer.bytes)
        writer.put(wide: sum)
        return writer.bytes
    }

    /// Reads what ``sealed`` gave; `nil` when that is damaged.
    package init?(sealed: [UInt8]) {
        guard sealed.count >= 8 else { return nil }
        let content = sealed.dropLast(8)
        var seal = PackedReader(Array(sealed.suffix(8)))
        var reader = PackedReader(Array(content))
        do throws(PackedReader.Damaged) {
            guard try seal.wide() == Fragment.hash(content) else { return nil }
            try self.init(from: &reader)
        } catch {
            return nil
        }
    }
}
