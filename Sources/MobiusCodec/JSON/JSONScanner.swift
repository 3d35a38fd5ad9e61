/// An error of the bytes as a whole.
struct MalformedBytes: Error {
    let reason: StaticString
}

/// Finds the values of JSON bytes (RFC 8259) in one pass, without reading them.
///
/// It checks the nesting of values. Numbers and texts are checked when they are read, as in Foundation's decoder. Like
/// that one it accepts a comma before a closing bracket, and a byte order mark at the start.
struct JSONScanner {
    /// The maximum depth of nested values: the same as for Foundation's decoder.
    static let maximumDepth = 512

    private let bytes: UnsafePointer<UInt8>
    private let end: Int

    // The position is not stored: methods take a position and return the one after the value.

    /// Appends the nodes of exactly one value.
    static func scan(_ buffer: UnsafeRawBufferPointer, into nodes: inout NodeList) throws(MalformedBytes) {
        guard let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), !buffer.isEmpty else {
            throw MalformedBytes(reason: "there is no value")
        }
        guard buffer.count < UInt32.max else { throw MalformedBytes(reason: "it is longer than 4 GiB") }
        let scanner = JSONScanner(bytes: base, end: buffer.count)
        var at = try scanner.value(from: scanner.endOfByteOrderMark, into: &nodes, depth: 0)
        _ = scanner.peek(&at)
        guard at == scanner.end else { throw MalformedBytes(reason: "something follows the value") }
    }

    private var endOfByteOrderMark: Int {
        end >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf ? 3 : 0
    }

    /// Steps over white space; answers with the byte behind it, at the end with 0, which no value holds either.
    @inline(__always)
    private func peek(_ at: inout Int) -> UInt8 {
        if at < end, bytes[at] > 0x20 { return bytes[at] }
        at = endOfSpace(from: at)
        return at < end ? bytes[at] : 0
    }

    @inline(never)
    private func endOfSpace(from start: Int) -> Int {
        var at = start
        while at < end, case let byte = bytes[at], byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            at += 1
        }
        return at
    }

    @inline(__always)
    private func value(from start: Int, into nodes: inout NodeList, depth: Int) throws(MalformedBytes) -> Int {
        var at = start
        switch peek(&at) {
        case UInt8(ascii: "\""): return try text(from: at, into: &nodes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number(from: at, into: &nodes)
        case UInt8(ascii: "{"): return try object(from: at, into: &nodes, depth: depth)
        case UInt8(ascii: "["): return try array(from: at, into: &nodes, depth: depth)
        default: return try word(from: at, into: &nodes)
        }
    }

    @inline(never)
    private func object(from start: Int, into nodes: inout NodeList, depth: Int) throws(MalformedBytes) -> Int {
        guard depth < Self.maximumDepth else { throw MalformedBytes(reason: "it is nested too deeply") }
        let place = nodes.count
        nodes.append(Node(kind: .object, offset: 0, length: 0, next: 0))
        var at = start &+ 1
        var members: UInt32 = 0
        var keys = KeyMarks()
        var next = peek(&at)
        while next != UInt8(ascii: "}") {
            guard next == UInt8(ascii: "\"") else { throw MalformedBytes(reason: "a key is expected") }
            at = try text(from: at, into: &nodes)
            let key = nodes[nodes.count &- 1]
            keys.add(key, first: bytes[Int(key.offset)])  // of an empty key the quotation mark
            guard peek(&at) == UInt8(ascii: ":") else {
                throw MalformedBytes(reason: "a colon is expected behind a key")
            }
            at = try value(from: at &+ 1, into: &nodes, depth: depth &+ 1)
            members &+= 1
            next = try separator(&at, or: UInt8(ascii: "}"))
        }
        nodes.close(place, length: members, keys)
        return at &+ 1
    }

    @inline(never)
    private func array(from start: Int, into nodes: inout NodeList, depth: Int) throws(MalformedBytes) -> Int {
        guard depth < Self.maximumDepth else { throw MalformedBytes(reason: "it is nested too deeply") }
        let place = nodes.count
        nodes.append(Node(kind: .array, offset: 0, length: 0, next: 0))
        var at = start &+ 1
        var elements: UInt32 = 0
        var next = peek(&at)
        while next != UInt8(ascii: "]") {
            at = try value(from: at, into: &nodes, depth: depth &+ 1)
            elements &+= 1
            next = try separator(&at, or: UInt8(ascii: "]"))
        }
        nodes.close(place, length: elements)
        return at &+ 1
    }

    /// Steps over a comma, and answers with what comes next.
    @inline(__always)
    private func separator(_ at: inout Int, or closing: UInt8) throws(MalformedBytes) -> UInt8 {
        switch peek(&at) {
        case closing: return closing
        case UInt8(ascii: ","):
            at &+= 1
            return peek(&at)
        default: throw MalformedBytes(reason: "a comma or a closing bracket is expected")
        }
    }

    /// A value that is neither a text, a number nor a container.
    @inline(never)
    private func word(from start: Int, into nodes: inout NodeList) throws(MalformedBytes) -> Int {
        guard start < end else { throw MalformedBytes(reason: "it ends where a value is expected") }
        switch bytes[start] {
        case UInt8(ascii: "t"): return try word("true", .true, from: start, into: &nodes)
        case UInt8(ascii: "f"): return try word("false", .false, from: start, into: &nodes)
        case UInt8(ascii: "n"): return try word("null", .null, from: start, into: &nodes)
        default: throw MalformedBytes(reason: "a value begins with a strange character")
        }
    }

    private func word(
        _ word: StaticString, _ kind: Node.Kind, from start: Int, into nodes: inout NodeList
    ) throws(MalformedBytes) -> Int {
        let length = word.utf8CodeUnitCount
        guard end - start >= length else { throw MalformedBytes(reason: "it ends within a word") }
        for index in 0..<length where bytes[start + index] != word.utf8Start[index] {
            throw MalformedBytes(reason: "a word is neither true, false nor null")
        }
        leaf(kind, from: start, length: length, into: &nodes)
        return start + length
    }

    private func number(from start: Int, into nodes: inout NodeList) -> Int {
        var at = start &+ 1
        while at < end, Self.isOfNumber(bytes[at]) { at &+= 1 }
        leaf(.number, from: start, length: at &- start, into: &nodes)
        return at
    }

    @inline(__always)
    private static func isOfNumber(_ byte: UInt8) -> Bool {
        if byte &- UInt8(ascii: "0") < 10 { return true }
        return byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+")
    }

    @inline(never)
    private func text(from quote: Int, into nodes: inout NodeList) throws(MalformedBytes) -> Int {
        let start = quote &+ 1
        var seen: UInt64 = 0
        let at = JSONText.end(of: bytes, from: start, to: end, seen: &seen)
        guard at < end, bytes[at] == UInt8(ascii: "\"") else {
            return try strangeText(from: start, at, into: &nodes)
        }
        leaf(.text, from: start, length: at &- start, isPlain: JSONText.isASCII(seen), into: &nodes)
        return at &+ 1
    }

    /// A text from the first escape or control character in it on.
    @inline(never)
    private func strangeText(
        from start: Int, _ strange: Int, into nodes: inout NodeList
    ) throws(MalformedBytes) -> Int {
        var kind = Node.Kind.text
        var at = strange
        while true {
            guard at < end else { throw MalformedBytes(reason: "it ends within a text") }
            switch bytes[at] {
            case UInt8(ascii: "\""):
                leaf(kind, from: start, length: at - start, into: &nodes)
                return at + 1
            case UInt8(ascii: "\\"):
                kind = .escapedText
                at = try endOfEscape(at)
            default:
                at += 1  // a control character: refused when the text is read
            }
            at = JSONText.end(of: bytes, from: at, to: end)
        }
    }

    /// The escape is checked when the text is read; here only its length matters.
    private func endOfEscape(_ at: Int) throws(MalformedBytes) -> Int {
        let length = at + 1 < end && bytes[at + 1] == UInt8(ascii: "u") ? 6 : 2
        guard end - at >= length else { throw MalformedBytes(reason: "it ends within a text") }
        if length == 6 {
            for index in at + 2..<at + 6 where bytes[index] == UInt8(ascii: "\"") {
                throw MalformedBytes(reason: "a text ends within an escape")
            }
        }
        return at + length
    }

    /// The numbers fit: there are fewer bytes than 4 GiB, and fewer nodes than bytes.
    @inline(__always)
    private func leaf(
        _ kind: Node.Kind, from start: Int, length: Int, isPlain: Bool = false, into nodes: inout NodeList
    ) {
        nodes.append(
            Node(
                kind: kind, isPlain: isPlain, offset: UInt32(truncatingIfNeeded: start),
                length: UInt32(truncatingIfNeeded: length), next: UInt32(truncatingIfNeeded: nodes.count &+ 1)))
    }
}
