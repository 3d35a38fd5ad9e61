/// One link in a report, with its problem.
public struct ReportRow: Sendable, Hashable {
    /// Why a link is in a report.
    public enum Kind: UInt8, Sendable {
        /// It is broken.
        case broken
        /// It leads to a redirect.
        case redirect
    }

    /// Why it is there.
    public var kind: Kind
    /// The URL of its page.
    public var page: String
    /// The line in the page's source, from 1.
    public var line: Int
    /// The absolute target URL, with fragment; the written text if it is not a valid URL.
    public var link: String
    /// The reason, in a few words; for a redirect the URL at its end, or the last URL that could be followed.
    public var note: String
    /// The HTTP status, for a redirect that of its first hop; `nil` without one.
    public var status: Int?

    /// Describes a link; each text is truncated to ``longestText`` bytes.
    public init(kind: Kind, page: String, line: Int, link: String, note: String, status: Int?) {
        self.kind = kind
        self.page = Self.cut(page)
        self.line = line
        self.link = Self.cut(link)
        self.note = Self.cut(note)
        self.status = status
    }

    /// The maximum length of a text in bytes: 8 KiB, more than servers take (RFC 9110, 4.1), so that a row has a
    /// bounded size.
    public static let longestText = 8 << 10

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: longestText)
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        return text[..<end] + "…"
    }
}

extension ReportRow: Comparable {
    /// The order of a report: broken links first, then by page, line, link and note, each by its bytes.
    public static func < (one: ReportRow, other: ReportRow) -> Bool {
        if one.kind != other.kind { return one.kind.rawValue < other.kind.rawValue }
        if let order = order(one.page, other.page) { return order }
        if one.line != other.line { return one.line < other.line }
        if let order = order(one.link, other.link) ?? order(one.note, other.note) { return order }
        return one.status ?? -1 < other.status ?? -1
    }

    /// Compares bytes: canonically equivalent texts are different.
    public static func == (one: ReportRow, other: ReportRow) -> Bool {
        one.kind == other.kind && one.line == other.line && one.status == other.status
            && one.page.utf8.elementsEqual(other.page.utf8) && one.link.utf8.elementsEqual(other.link.utf8)
            && one.note.utf8.elementsEqual(other.note.utf8)
    }

    /// Whether the first text comes before the other; `nil` when they are the same.
    private static func order(_ one: String, _ other: String) -> Bool? {
        // The common case first: rows of one page stand together, and most texts are ASCII.
        var (ones, others) = (one.utf8.makeIterator(), other.utf8.makeIterator())
        while true {
            switch (ones.next(), others.next()) {
            case (nil, nil): return nil
            case (nil, _): return true
            case (_, nil): return false
            case (let left?, let right?): if left != right { return left < right }
            }
        }
    }
}

// MARK: - As bytes

extension ReportRow {
    /// The row as a record: its length in four bytes, least first, and that many bytes.
    package func appendRecord(to bytes: inout [UInt8]) {
        var writer = PackedWriter()
        writer.put(kind.rawValue)
        writer.put(page)
        writer.put(line)
        writer.put(link)
        writer.put(note)
        writer.put(status ?? 0)
        let count = UInt32(writer.bytes.count)
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
        bytes += writer.bytes
    }

    /// Reads what follows the length of a record; `nil` when it is damaged.
    package init?(record: ArraySlice<UInt8>) {
        var reader = PackedReader(Array(record))
        do throws(PackedReader.Damaged) {
            guard let kind = Kind(rawValue: try reader.number()) else { return nil }
            let (page, line) = (try reader.text(), try reader.number(Int.self))
            let (link, note, status) = (try reader.text(), try reader.text(), try reader.number(Int.self))
            self.init(kind: kind, page: page, line: line, link: link, note: note, status: status == 0 ? nil : status)
        } catch {
            return nil
        }
    }
}
