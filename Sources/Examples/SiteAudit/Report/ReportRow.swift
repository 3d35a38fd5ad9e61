/// One line of a report: a link with its problem, or a page that was not read.
public struct ReportRow: Codable, Sendable, Equatable {
    /// The reasons for a row in a report, in a report's order.
    public enum Kind: Int, Codable, Sendable {
        /// The link is broken.
        case broken
        /// The link leads to a redirect.
        case redirect
        /// The page was not read.
        case unread
    }

    /// The reason for the row.
    public var kind: Kind
    /// The URL of its page.
    public var page: String
    /// The line in the page's source, from 1; 0 for the whole page.
    public var line: Int
    /// The absolute target URL, with fragment; the written text if it is not a valid URL.
    public var link: String
    /// The reason, in a few words; for a redirect the URL at its end, or the last URL that could be followed.
    public var note: String
    /// The HTTP status, for a redirect that of its first hop; `nil` without one.
    public var status: Int?
    /// Of the first row of a page, or of all unread pages, how many rows it begins; otherwise `nil`.
    public var group: Int?

    /// Describes a line; each text is truncated to ``longestText`` bytes.
    public init(kind: Kind, page: String, line: Int, link: String, note: String, status: Int?, group: Int? = nil) {
        self.kind = kind
        self.page = Self.cut(page)
        self.line = line
        self.link = Self.cut(link)
        self.note = Self.cut(note)
        self.status = status
        self.group = group
    }

    /// The maximum length of a text in bytes: 8 KiB, more than servers take (RFC 9110, 4.1), so that a row has a
    /// bounded size.
    public static let longestText = 8 << 10

    static func cut(_ text: String, to longest: Int = longestText) -> String {
        guard text.utf8.count > longest else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: longest)
        while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
        return text[..<end] + "…"
    }

    /// The same for a terminal: several fit into any payload.
    var shortened: ReportRow {
        var row = self
        (row.page, row.link, row.note) = (
            Self.cut(page, to: 100), Self.cut(link, to: 100), Self.cut(note, to: 100)
        )
        row.group = nil
        return row
    }
}

/// Rows that travel as one array of numbers, and each text once: a fifth of one JSON object per row.
public struct ReportRows: Sendable, Equatable {
    /// The rows.
    public var rows: [ReportRow]

    /// Rows to be sent.
    public init(_ rows: [ReportRow]) { self.rows = rows }
}

extension ReportRows: Codable {
    private enum CodingKeys: String, CodingKey { case texts, numbers }

    /// Reads rows.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let texts = try container.decode([String].self, forKey: .texts)
        let numbers = try container.decode([Int].self, forKey: .numbers)
        rows = try stride(from: 0, to: numbers.count, by: 7).map { start in
            let row = numbers[start...].prefix(7)
            guard row.count == 7, let kind = ReportRow.Kind(rawValue: row[start]),
                [1, 3, 4].allSatisfy({ texts.indices.contains(row[start + $0]) })
            else {
                throw DecodingError.dataCorruptedError(
                    forKey: .numbers, in: container, debugDescription: "the rows do not fit their texts")
            }
            return ReportRow(
                kind: kind, page: texts[row[start + 1]], line: row[start + 2], link: texts[row[start + 3]],
                note: texts[row[start + 4]], status: row[start + 5] == 0 ? nil : row[start + 5],
                group: row[start + 6] == 0 ? nil : row[start + 6])
        }
    }

    /// Writes rows.
    public func encode(to encoder: any Encoder) throws {
        var places: [String: Int] = [:]
        var texts: [String] = []
        func place(_ text: String) -> Int {
            if let place = places[text] { return place }
            places[text] = texts.count
            texts.append(text)
            return texts.count - 1
        }
        let numbers = rows.flatMap { row in
            [
                row.kind.rawValue, place(row.page), row.line, place(row.link), place(row.note), row.status ?? 0,
                row.group ?? 0,
            ]
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(texts, forKey: .texts)
        try container.encode(numbers, forKey: .numbers)
    }

    /// An upper bound of a row's numbers in bytes of JSON.
    static let bytesOfNumbers = 56

    /// An upper bound of a text in bytes of JSON.
    static func bytes(of text: String) -> Int {
        text.utf8.reduce(3) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x2F || $1 == 0x5C ? 2 : 1) }
    }
}
