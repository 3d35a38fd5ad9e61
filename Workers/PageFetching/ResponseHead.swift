/// Status and headers of an answer, as far as an audit needs them; of several heads the last.
struct ResponseHead {
    /// The headers that are kept.
    private enum Name: String, CaseIterable {
        case contentType = "content-type"
        case contentEncoding = "content-encoding"
        case contentLength = "content-length"
        case contentTypeOptions = "x-content-type-options"
        case location = "location"
        case retryAfter = "retry-after"
        case setCookie = "set-cookie"
        case transferEncoding = "transfer-encoding"
    }

    var status = 0
    /// Whether any line has come.
    private(set) var hasBegun = false
    /// Whether the empty line has come.
    private(set) var isComplete = false
    private var fields: [(name: Name, value: [UInt8])] = []
    /// The field that a folded line continues; `nil` after one that is not kept.
    private var isLastKept = false

    /// Takes a line as it was sent; returns whether it ends the head.
    mutating func receive(_ line: UnsafeRawBufferPointer) -> Bool {
        if line.starts(with: "HTTP/".utf8), isComplete || hasBegun == false {
            self = ResponseHead()
            hasBegun = true
            return false
        }
        // What comes after the body is of no interest.
        if isComplete { return false }
        guard let first = line.first else { return false }
        if first == 0x0D || first == 0x0A {
            isComplete = true
            return true
        }
        if first == 0x20 || first == 0x09 {
            if isLastKept { fields[fields.count - 1].value += [0x20] + Self.trimmed(line[...]) }
            return false
        }
        receive(field: line)
        return false
    }

    private mutating func receive(field line: UnsafeRawBufferPointer) {
        isLastKept = false
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let written = Self.trimmed(line[..<colon])
        let name = Name.allCases.first { name in
            name.rawValue.utf8.count == written.count
                && zip(name.rawValue.utf8, written).allSatisfy { $0 == $1 || $0 == $1 | 0x20 }
        }
        guard let name else { return }
        fields.append((name, Array(Self.trimmed(line[(colon + 1)...]))))
        isLastKept = true
    }

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var text = text
        while let first = text.first, first <= 0x20 { text.removeFirst() }
        while let last = text.last, last <= 0x20 { text.removeLast() }
        return text
    }

    private func values(_ name: Name) -> [String] {
        fields.lazy.filter { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}

/// The meanings of the headers.
extension ResponseHead {
    /// The length of the body, if it is announced.
    var contentLength: Int? {
        values(.transferEncoding).isEmpty ? values(.contentLength).first.flatMap { Int($0) } : nil
    }

    /// The names in `Content-Encoding`, in lower case, in order.
    var codings: [String] {
        values(.contentEncoding).flatMap { $0.split(separator: ",") }.map { $0.trimmingASCIISpace.lowercased() }
    }

    /// `Location` as it was sent, of a status that redirects.
    var location: [UInt8]? {
        guard [301, 302, 303, 307, 308].contains(status) else { return nil }
        return fields.first { $0.name == .location }?.value
    }

    /// The seconds after which to come back, of an error.
    var retryAfter: Int? { status >= 400 ? values(.retryAfter).first.flatMap { RetryAfter.seconds($0) } : nil }

    /// Whether cookies are set.
    var setsCookies: Bool { fields.contains { $0.name == .setCookie } }

    /// The type of the answer whose body begins so.
    func mediaType(beginning: UnsafeRawBufferPointer) -> MediaType? {
        MediaType.computed(
            contentTypeHeaders: values(.contentType),
            noSniff: values(.contentTypeOptions).first?.lowercased() == "nosniff", beginning: beginning)
    }
}
