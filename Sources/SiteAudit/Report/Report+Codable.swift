/// Links go packed, each text once: a report of 50,000 broken links stays well below what one effect may weigh (4 MiB).
extension Report: Codable {
    private enum Key: String, CodingKey {
        case start, directory, started, pages, links, addresses, disallowed, unchecked, rows
    }

    /// Reads a packed report.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        start = try container.decode(String.self, forKey: .start)
        directory = try container.decode(String.self, forKey: .directory)
        started = try container.decode(Double.self, forKey: .started)
        pages = try container.decode(Int.self, forKey: .pages)
        links = try container.decode(Int.self, forKey: .links)
        addresses = try container.decode(Int.self, forKey: .addresses)
        disallowed = try container.decode(Int.self, forKey: .disallowed)
        unchecked = try container.decode(Int.self, forKey: .unchecked)
        let rows = try container.decode(Rows.self, forKey: .rows)
        broken = rows.broken
        redirects = rows.redirects
    }

    /// Writes a packed report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(start, forKey: .start)
        try container.encode(directory, forKey: .directory)
        try container.encode(started, forKey: .started)
        try container.encode(pages, forKey: .pages)
        try container.encode(links, forKey: .links)
        try container.encode(addresses, forKey: .addresses)
        try container.encode(disallowed, forKey: .disallowed)
        try container.encode(unchecked, forKey: .unchecked)
        try container.encode(Rows(broken: broken, redirects: redirects), forKey: .rows)
    }
}

/// The links of a report, packed.
private struct Rows: PackedCodable {
    var broken: [BrokenLink]
    var redirects: [RedirectedLink]

    init(broken: [BrokenLink], redirects: [RedirectedLink]) {
        self.broken = broken
        self.redirects = redirects
    }

    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        let texts = try reader.array { reader throws(PackedReader.Damaged) in try reader.text() }
        func text(_ reader: inout PackedReader) throws(PackedReader.Damaged) -> String {
            let index = try reader.number(Int.self)
            guard texts.indices.contains(index) else { throw PackedReader.Damaged() }
            return texts[index]
        }
        broken = try reader.array { reader throws(PackedReader.Damaged) in
            let page = try text(&reader)
            let link = try text(&reader)
            let line = try reader.number(Int.self)
            let reason = try text(&reader)
            let status = try reader.number(Int.self)
            return BrokenLink(page: page, link: link, line: line, reason: reason, status: status == 0 ? nil : status)
        }
        redirects = try reader.array { reader throws(PackedReader.Damaged) in
            let page = try text(&reader)
            let link = try text(&reader)
            let line = try reader.number(Int.self)
            let target = try text(&reader)
            return RedirectedLink(page: page, link: link, line: line, target: target, status: try reader.number())
        }
    }

    func pack(into writer: inout PackedWriter) {
        var numbers: [String: Int] = [:]
        var texts: [String] = []
        func number(_ text: String) -> Int {
            if let number = numbers[text] { return number }
            numbers[text] = texts.count
            texts.append(text)
            return texts.count - 1
        }
        let found = broken.map { (number($0.page), number($0.link), $0.line, number($0.reason), $0.status ?? 0) }
        let moved = redirects.map { (number($0.page), number($0.link), $0.line, number($0.target), $0.status) }
        writer.put(texts) { $1.put($0) }
        for rows in [found, moved] {
            writer.put(rows) { row, writer in
                writer.put(row.0)
                writer.put(row.1)
                writer.put(row.2)
                writer.put(row.3)
                writer.put(row.4)
            }
        }
    }
}
