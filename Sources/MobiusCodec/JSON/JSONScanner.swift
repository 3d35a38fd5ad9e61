/// What is wrong with bytes as a whole.
struct MalformedBytes: Error {
    let reason: StaticString
}

/// Finds the values of JSON bytes (RFC 8259) in one pass, without reading them.
///
/// It checks how values are nested, not what stands within a number or a text: those are checked when they are asked for,
/// as Foundation's decoder does. Like that one it lets a comma stand before a closing bracket, and a byte order mark first.
struct JSONScanner {
    /// How deep values may be nested: as deep as Foundation's decoder allows.
    static let maximumDepth = 512

    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private var at = 0

    private init(_ buffer: UnsafeRawBufferPointer, _ base: UnsafePointer<UInt8>) {
        bytes = base
        end = buffer.count
    }

    /// Appends the nodes of exactly one value.
    static func scan(_ buffer: UnsafeRawBufferPointer, into nodes: inout NodeList) throws(MalformedBytes) {
        guard let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), !buffer.isEmpty else {
            throw MalformedBytes(reason: "there is no value")
        }
        guard buffer.count < UInt32.max else { throw MalformedBytes(reason: "it is longer than 4 GiB") }
        var scanner = JSONScanner(buffer, base)
        scanner.skipByteOrderMark()
        try scanner.value(into: &nodes, depth: 0)
        guard scanner.peek() == nil else { throw MalformedBytes(reason: "something follows the value") }
    }

    private mutating func skipByteOrderMark() {
        if end >= 3, bytes[0] == 0xef, bytes[1] == 0xbb, bytes[2] == 0xbf { at = 3 }
    }

    /// The next byte that is no white space.
    @inline(__always)
    private mutating func peek() -> UInt8? {
        if at < end, bytes[at] > 0x20 { return bytes[at] }
        return peekBehindSpace()
    }

    @inline(never)
    private mutating func peekBehindSpace() -> UInt8? {
        while at < end {
            let byte = bytes[at]
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return byte }
            at += 1
        }
        return nil
    }

    private mutating func value(into nodes: inout NodeList, depth: Int) throws(MalformedBytes) {
        guard let next = peek() else { throw MalformedBytes(reason: "it ends where a value is expected") }
        switch next {
        case UInt8(ascii: "\""): try text(into: &nodes)
        case UInt8(ascii: "{"): try object(into: &nodes, depth: depth)
        case UInt8(ascii: "["): try array(into: &nodes, depth: depth)
        case UInt8(ascii: "t"): try word("true", .true, into: &nodes)
        case UInt8(ascii: "f"): try word("false", .false, into: &nodes)
        case UInt8(ascii: "n"): try word("null", .null, into: &nodes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number(into: &nodes)
        default: throw MalformedBytes(reason: "a value begins with a strange character")
        }
    }

    private mutating func object(into nodes: inout NodeList, depth: Int) throws(MalformedBytes) {
        guard depth < Self.maximumDepth else { throw MalformedBytes(reason: "it is nested too deeply") }
        let place = nodes.count
        nodes.append(Node(kind: .object, offset: 0, length: 0, next: 0))
        at += 1
        var members: UInt32 = 0
        var keys = KeyMarks()
        var next = peek()
        while next != UInt8(ascii: "}") {
            guard next == UInt8(ascii: "\"") else { throw MalformedBytes(reason: "a key is expected") }
            try text(into: &nodes)
            let key = nodes[nodes.count &- 1]
            keys.add(key, first: bytes[Int(key.offset)])  // of an empty key the quotation mark
            guard peek() == UInt8(ascii: ":") else { throw MalformedBytes(reason: "a colon is expected behind a key") }
            at += 1
            try value(into: &nodes, depth: depth + 1)
            members += 1
            next = try separator(or: UInt8(ascii: "}"))
        }
        at += 1
        nodes[place].length = members
        nodes[place].next = UInt32(nodes.count)
        nodes[place].isPlain = keys.arePlain
    }

    private mutating func array(into nodes: inout NodeList, depth: Int) throws(MalformedBytes) {
        guard depth < Self.maximumDepth else { throw MalformedBytes(reason: "it is nested too deeply") }
        let place = nodes.count
        nodes.append(Node(kind: .array, offset: 0, length: 0, next: 0))
        at += 1
        var elements: UInt32 = 0
        var next = peek()
        while next != UInt8(ascii: "]") {
            try value(into: &nodes, depth: depth + 1)
            elements += 1
            next = try separator(or: UInt8(ascii: "]"))
        }
        at += 1
        nodes[place].length = elements
        nodes[place].next = UInt32(nodes.count)
    }

    /// Steps over a comma, and answers with what comes next.
    @inline(__always)
    private mutating func separator(or closing: UInt8) throws(MalformedBytes) -> UInt8? {
        switch peek() {
        case closing: return closing
        case UInt8(ascii: ","):
            at += 1
            return peek()
        default: throw MalformedBytes(reason: "a comma or a closing bracket is expected")
        }
    }

    private mutating func word(_ word: StaticString, _ kind: Node.Kind, into nodes: inout NodeList)
        throws(MalformedBytes)
    {
        let length = word.utf8CodeUnitCount
        guard end - at >= length else { throw MalformedBytes(reason: "it ends within a word") }
        for index in 0..<length where bytes[at + index] != word.utf8Start[index] {
            throw MalformedBytes(reason: "a word is neither true, false nor null")
        }
        leaf(kind, from: at, length: length, into: &nodes)
        at += length
    }

    private mutating func number(into nodes: inout NodeList) {
        let start = at
        at += 1
        while at < end, Self.isOfNumber(bytes[at]) { at += 1 }
        leaf(.number, from: start, length: at - start, into: &nodes)
    }

    @inline(__always)
    private static func isOfNumber(_ byte: UInt8) -> Bool {
        if byte &- UInt8(ascii: "0") < 10 { return true }
        return byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+")
    }

    private mutating func text(into nodes: inout NodeList) throws(MalformedBytes) {
        let start = at + 1
        var seen: UInt64 = 0
        at = JSONText.end(of: bytes, from: start, to: end, seen: &seen)
        guard at < end, bytes[at] == UInt8(ascii: "\"") else { return try strangeText(from: start, into: &nodes) }
        leaf(.text, from: start, length: at - start, isPlain: JSONText.isASCII(seen), into: &nodes)
        at += 1
    }

    /// A text from the first escape or control character in it on.
    @inline(never)
    private mutating func strangeText(from start: Int, into nodes: inout NodeList) throws(MalformedBytes) {
        var kind = Node.Kind.text
        while true {
            guard at < end else { throw MalformedBytes(reason: "it ends within a text") }
            switch bytes[at] {
            case UInt8(ascii: "\""):
                leaf(kind, from: start, length: at - start, into: &nodes)
                at += 1
                return
            case UInt8(ascii: "\\"):
                kind = .escapedText
                try skipEscape()
            default:
                at += 1  // a control character: refused when the text is read
            }
            at = JSONText.end(of: bytes, from: at, to: end)
        }
    }

    /// What the escape says is checked when the text is read; only the text must not end within it.
    private mutating func skipEscape() throws(MalformedBytes) {
        let length = at + 1 < end && bytes[at + 1] == UInt8(ascii: "u") ? 6 : 2
        guard end - at >= length else { throw MalformedBytes(reason: "it ends within a text") }
        if length == 6 {
            for index in at + 2..<at + 6 where bytes[index] == UInt8(ascii: "\"") {
                throw MalformedBytes(reason: "a text ends within an escape")
            }
        }
        at += length
    }

    /// The numbers fit: there are fewer bytes than 4 GiB, and fewer nodes than bytes.
    private func leaf(
        _ kind: Node.Kind, from start: Int, length: Int, isPlain: Bool = false, into nodes: inout NodeList
    ) {
        nodes.append(
            Node(
                kind: kind, isPlain: isPlain, offset: UInt32(truncatingIfNeeded: start),
                length: UInt32(truncatingIfNeeded: length), next: UInt32(truncatingIfNeeded: nodes.count &+ 1)))
    }
}
