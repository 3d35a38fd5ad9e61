/// A parsed reference (RFC 3986, 4.1), as tolerant as browsers.
struct Reference {
    enum Parsed {
        /// With scheme and authority.
        case absolute(WebURL, fragment: String?)
        /// `//host/path`: the scheme is the base's; the authority is as written.
        case schemeRelative(authority: String, path: String, query: String?, fragment: String?)
        /// A path, possibly empty, normalised but with its dot segments; `scheme` when written (`http:g`).
        case sameScheme(String?, path: [UInt8], query: String?, fragment: String?)
        case otherScheme(String)
        case invalid
    }

    private let bytes: [UInt8]

    init(_ text: String) {
        var bytes = Array(text.utf8)
        bytes.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        let start = bytes.firstIndex { $0 > 0x20 } ?? bytes.endIndex
        let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start
        self.bytes = start == 0 && end == bytes.count ? bytes : Array(bytes[start..<end])
    }

    var parsed: Parsed {
        let scheme = self.scheme
        if let scheme, scheme != "http", scheme != "https" { return .otherScheme(scheme) }
        var rest = bytes[(scheme.map { $0.utf8.count + 1 } ?? 0)...]
        let fragment = Self.cut(&rest, at: UInt8(ascii: "#")).map { Fragment.decoded($0) } ?? nil
        let query = Self.cut(&rest, at: UInt8(ascii: "?")).map {
            String(decoding: PercentCoding.normalize($0, allowed: .query), as: UTF8.self)
        }
        var hierarchy = Array(rest)
        for index in hierarchy.indices where hierarchy[index] == UInt8(ascii: "\\") {
            hierarchy[index] = UInt8(ascii: "/")
        }
        guard hierarchy.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) else {
            let path = PercentCoding.normalize(hierarchy, allowed: .path)
            return .sameScheme(scheme, path: path, query: query, fragment: fragment)
        }
        let slash = hierarchy[2...].firstIndex(of: UInt8(ascii: "/")) ?? hierarchy.endIndex
        let authority = Array(hierarchy[2..<slash])
        let path = DotSegments.removed(from: PercentCoding.normalize(hierarchy[slash...], allowed: .path))
        guard let scheme else {
            let written = String(decoding: authority, as: UTF8.self)
            return .schemeRelative(authority: written, path: path, query: query, fragment: fragment)
        }
        guard let host = WebHost.normalized(authority, scheme: scheme) else { return .invalid }
        return .absolute(WebURL(scheme: scheme, authority: host, path: path, query: query), fragment: fragment)
    }

    /// The scheme in lower case, when there is one.
    private var scheme: String? {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        let lower = bytes[..<colon].map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= lower[0] else { return nil }
        for byte in lower {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                continue
            default: return nil
            }
        }
        return String(decoding: lower, as: UTF8.self)
    }

    /// Splits the part after the first `mark` off `rest`; `nil` without a `mark`.
    private static func cut(_ rest: inout ArraySlice<UInt8>, at mark: UInt8) -> ArraySlice<UInt8>? {
        guard let index = rest.firstIndex(of: mark) else { return nil }
        let tail = rest[(index + 1)...]
        rest = rest[..<index]
        return tail
    }
}

/// Removal of `.` and `..` from an absolute path (RFC 3986, 5.2.4).
enum DotSegments {
    /// `path` without dot segments; `/` for an empty one.
    static func removed(from path: [UInt8]) -> String {
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append([]) }
            } else if segment.elementsEqual("..".utf8) {
                _ = kept.popLast()
                if isLast { kept.append([]) }
            } else {
                kept.append(segment)
            }
        }
        return "/" + String(decoding: Array(kept.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
    }
}
