/// The URL standard's basic URL parser (https://url.spec.whatwg.org/#concept-basic-url-parser) for `http` and `https`.
///
/// It writes the serialised URL byte by byte, without values for its parts.
struct URLParser {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    enum Parsed {
        case web(WebURL, fragment: String?)
        case skipped(scheme: String)
        case invalid
    }

    private let base: WebURL?
    private let encode: ((String) -> [UInt8])?
    private var output: [UInt8] = []

    /// Parses `text`, without the white space that the standard ignores, against `base` if there is one.
    static func parse(_ text: String, base: WebURL?, encode: ((String) -> [UInt8])?) -> Parsed {
        var parser = URLParser(base: base, encode: encode)
        var text = text
        return text.withUTF8 { written in
            let start = written.firstIndex { $0 > 0x20 } ?? written.endIndex
            let end = written.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start
            let trimmed = written.extracting(start..<end)
            guard trimmed.contains(where: isTabOrNewline) else { return parser.parse(trimmed) }
            return trimmed.filter { isTabOrNewline($0) == false }.withUnsafeBufferPointer { parser.parse($0) }
        }
    }

    private init(base: WebURL?, encode: ((String) -> [UInt8])?) {
        self.base = base
        self.encode = encode
    }

    private mutating func parse(_ input: Bytes) -> Parsed {
        var rest = input
        var isSecure = base?.isSecure
        var isRelative = base != nil
        if let colon = Self.schemeEnd(in: input) {
            guard let isHTTPS = Self.isHTTPS(input.extracting(..<colon)) else {
                return .skipped(scheme: String(decoding: input.extracting(..<colon), as: UTF8.self).lowercased())
            }
            isRelative = isSecure == isHTTPS
            isSecure = isHTTPS
            rest = input.extracting((colon + 1)...)
        }
        guard let isSecure else { return .invalid }
        let fragment = Self.cut(&rest, at: UInt8(ascii: "#"))
        let query = Self.cut(&rest, at: UInt8(ascii: "?"))
        let slashes = rest.firstIndex { Self.isSlash($0) == false } ?? rest.count
        output.reserveCapacity(input.count + (base?.text.utf8.count ?? 0) + 8)
        let url: WebURL?
        if let base, isRelative, slashes < 2 {
            url = resolved(rest, isAbsolute: slashes == 1, query: query, on: base)
        } else {
            url = absolute(rest.extracting(slashes...), isSecure: isSecure, query: query)
        }
        guard let url else { return .invalid }
        return .web(url, fragment: fragment.flatMap { Fragment.decoded($0) })
    }

    /// The URL of authority and path.
    private mutating func absolute(_ rest: Bytes, isSecure: Bool, query: Bytes?) -> WebURL? {
        output.append(contentsOf: isSecure ? "https://".utf8 : "http://".utf8)
        let authorityStart = output.count
        let slash = rest.firstIndex(where: Self.isSlash) ?? rest.count
        guard Authority.append(rest.extracting(..<slash), isSecure: isSecure, to: &output) else { return nil }
        let pathStart = output.count
        append(path: rest.extracting(min(slash + 1, rest.count)...), below: pathStart)
        return finished(authorityStart, pathStart, query: query)
    }

    /// The URL of a reference without authority; all parts may be empty.
    private mutating func resolved(_ path: Bytes, isAbsolute: Bool, query: Bytes?, on base: WebURL) -> WebURL? {
        if path.isEmpty, query == nil { return base }
        var text = base.text
        text.withUTF8 { output.append(contentsOf: $0.extracting(..<(path.isEmpty ? base.pathEnd : base.pathStart))) }
        if isAbsolute {
            append(path: path.extracting(1...), below: base.pathStart)
        } else if path.isEmpty == false {
            text.withUTF8 { output.append(contentsOf: $0.extracting(base.pathStart..<base.pathEnd)) }
            removeLastSegment(below: base.pathStart)
            append(path: path, below: base.pathStart)
        }
        return finished(base.authorityStart, base.pathStart, query: query)
    }

    private mutating func finished(_ authorityStart: Int, _ pathStart: Int, query: Bytes?) -> WebURL {
        let pathEnd = output.count
        if let query { append(query: query) }
        let text = String(decoding: output, as: UTF8.self)
        return WebURL(text: text, authorityStart: authorityStart, pathStart: pathStart, pathEnd: pathEnd)
    }

    /// Appends segment by segment, without those that are dots.
    private mutating func append(path: Bytes, below pathStart: Int) {
        var start = 0
        while true {
            let end = path[start...].firstIndex(where: Self.isSlash) ?? path.endIndex
            let segment = path.extracting(start..<end)
            let dots = Self.dots(segment)
            if dots == 2 { removeLastSegment(below: pathStart) }
            // At the end, a dot segment leaves the slash of what it names.
            if dots == 0 || end == path.endIndex { output.append(UInt8(ascii: "/")) }
            if dots == 0 { PercentCoding.append(segment, encoding: PercentCoding.path, to: &output) }
            if end == path.endIndex { return }
            start = end + 1
        }
    }

    private mutating func removeLastSegment(below pathStart: Int) {
        guard let slash = output[pathStart...].lastIndex(of: UInt8(ascii: "/")) else { return }
        output.removeSubrange(slash...)
    }

    private mutating func append(query: Bytes) {
        output.append(UInt8(ascii: "?"))
        guard let encode, query.contains(where: { $0 >= 0x80 }) else {
            return PercentCoding.append(query, encoding: PercentCoding.query, to: &output)
        }
        encode(String(decoding: query, as: UTF8.self)).withUnsafeBufferPointer {
            PercentCoding.append($0, encoding: PercentCoding.query, to: &output)
        }
    }
}

/// The parts of a reference.
extension URLParser {
    private static func isTabOrNewline(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// Browsers take backslashes for slashes.
    private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    /// Returns the place of the colon behind a scheme; `nil` without scheme.
    private static func schemeEnd(in input: Bytes) -> Int? {
        for (index, byte) in input.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if index == 0 { return nil }
            case UInt8(ascii: ":"): return index == 0 ? nil : index
            default: return nil
            }
        }
        return nil
    }

    /// `nil` for other schemes than `http` and `https`.
    private static func isHTTPS(_ scheme: Bytes) -> Bool? {
        let lower = scheme.lazy.map { $0 | 0x20 }
        if lower.elementsEqual("https".utf8) { return true }
        return lower.elementsEqual("http".utf8) ? false : nil
    }

    /// Splits the part after the first `mark` off `rest`; `nil` without a `mark`.
    private static func cut(_ rest: inout Bytes, at mark: UInt8) -> Bytes? {
        guard let index = rest.firstIndex(of: mark) else { return nil }
        defer { rest = rest.extracting(..<index) }
        return rest.extracting((index + 1)...)
    }

    /// Returns the number of dots of a segment, each perhaps written as `%2e`; 0 for more than two, and for any other
    /// segment.
    private static func dots(_ segment: Bytes) -> Int {
        var dots = 0
        var index = 0
        while index < segment.count {
            if segment[index] == UInt8(ascii: ".") {
                index += 1
            } else if segment[index] == UInt8(ascii: "%"), index + 2 < segment.count,
                segment[index + 1] == UInt8(ascii: "2"), segment[index + 2] | 0x20 == UInt8(ascii: "e")
            {
                index += 3
            } else {
                return 0
            }
            dots += 1
        }
        return dots <= 2 ? dots : 0
    }
}
