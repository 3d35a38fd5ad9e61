/// One link that waits for its target's answer, or has to be reported.
struct LinkRecord: Sendable, Equatable {
    /// What the link is for, which decides what content types are right.
    enum Use: UInt8, Sendable {
        case document, image, script, stylesheet, other

        init(_ kind: FetchedLink.Kind) {
            switch kind {
            case .document: self = .document
            case .image: self = .image
            case .script: self = .script
            case .stylesheet: self = .stylesheet
            case .other: self = .other
            }
        }

        /// Whether a page behind it is fetched as one, and its fragment must exist there.
        var leadsToDocument: Bool { self == .document || self == .other }
    }

    /// The number of its page.
    var page: Int32
    var line: Int32
    /// The number of the address that it leads to; -1 when it is no valid URL.
    var target: Int32
    var use: Use
    /// The decoded fragment; for an invalid link the written text.
    var fragment: String?

    init(_ link: FetchedLink, page: Int32, target: Int32) {
        self.page = page
        line = Int32(clamping: link.line)
        self.target = target
        use = Use(link.kind)
        fragment = link.fragment
    }

    init(invalid link: FetchedLink, page: Int32) {
        self.init(link, page: page, target: -1)
        fragment = link.written
    }

    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        page = try reader.number()
        line = try reader.number()
        target = try reader.number()
        guard let use = Use(rawValue: try reader.number()) else { throw PackedReader.Damaged() }
        self.use = use
        fragment = try reader.optionalText()
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(page)
        writer.put(line)
        writer.put(target)
        writer.put(use.rawValue)
        writer.put(fragment)
    }
}

struct LinkList: Sendable, Equatable, PackedCodable {
    var links: [LinkRecord] = []

    init() {}

    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        links = try reader.array { reader throws(PackedReader.Damaged) in try LinkRecord(from: &reader) }
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(links) { $0.pack(into: &$1) }
    }
}
