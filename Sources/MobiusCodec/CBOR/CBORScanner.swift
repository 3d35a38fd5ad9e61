/// Finds the data items of CBOR bytes (RFC 8949) in one pass.
///
/// It checks that the bytes are well-formed. UTF-8 is checked when a text is read. Lengths and counts are checked
/// against the remaining bytes before they are used.
struct CBORScanner {
    private let bytes: UnsafePointer<UInt8>
    private let end: Int

    // The position is not stored: methods take a position and return the one after the item.

    /// Appends the nodes of exactly one data item.
    static func scan(_ buffer: UnsafeRawBufferPointer, into nodes: inout NodeList) throws(MalformedBytes) {
        guard let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), !buffer.isEmpty else {
            throw MalformedBytes(reason: "there is no value")
        }
        guard buffer.count < UInt32.max else { throw MalformedBytes(reason: "it is longer than 4 GiB") }
        let scanner = CBORScanner(bytes: base, end: buffer.count)
        let at = try scanner.value(from: 0, into: &nodes, depth: 0)
        guard at == scanner.end else { throw MalformedBytes(reason: "something follows the value") }
    }

    /// Steps over a head.
    @inline(__always)
    private func head(_ at: inout Int) throws(MalformedBytes) -> CBORHead {
        guard let head = CBORHead(bytes, &at, end: end) else { throw malformedHead(at) }
        return head
    }

    private func malformedHead(_ at: Int) -> MalformedBytes {
        guard at < end else { return MalformedBytes(reason: "it ends where a value is expected") }
        return (28...30).contains(bytes[at] & 0x1f)
            ? MalformedBytes(reason: "a value begins with a byte that means nothing")
            : MalformedBytes(reason: "it ends within a value")
    }

    private func value(from start: Int, into nodes: inout NodeList, depth: Int) throws(MalformedBytes) -> Int {
        var at = start
        let head = try head(&at)
        switch head.major {
        case .unsigned, .negative:
            guard !head.isIndefinite else { throw MalformedBytes(reason: "a number has no end") }
            append(head.major == .unsigned ? .unsigned : .negative, number: head.argument, into: &nodes)
            return at
        case .text where !head.isIndefinite:
            let length = try length(of: head, at)
            let isPlain = JSONText.isASCII(bytes + at, length)
            append(.text, from: at, length: length, isPlain: isPlain, into: &nodes)
            return at &+ length
        case .bytes where !head.isIndefinite:
            let length = try length(of: head, at)
            append(.bytes, from: at, length: length, into: &nodes)
            return at &+ length
        case .text: return try pieces(of: head, .chunkedText, from: at, into: &nodes)
        case .bytes: return try pieces(of: head, .chunkedBytes, from: at, into: &nodes)
        case .array: return try array(head, from: at, into: &nodes, depth: depth)
        case .map: return try map(head, from: at, into: &nodes, depth: depth)
        case .tag: return try tagged(from: start, into: &nodes, depth: depth)
        case .simple:
            try simple(head, into: &nodes)
            return at
        }
    }

    /// A value behind tags.
    @inline(never)
    private func tagged(from start: Int, into nodes: inout NodeList, depth: Int) throws(MalformedBytes) -> Int {
        var found = CBORTag.none
        var at = start
        while true {
            var content = at
            let head = try head(&content)
            guard head.major == .tag else { break }
            guard !head.isIndefinite else { throw MalformedBytes(reason: "a tag has no end") }
            let tag = CBORTag(number: head.argument)
            if tag != .none { found = found == .none ? tag : .several }
            at = content
        }
        let place = nodes.count
        at = try value(from: at, into: &nodes, depth: depth)
        nodes[place].tag = found
        return at
    }

    private func append(_ kind: Node.Kind, number: UInt64, into nodes: inout NodeList) {
        append(
            kind, from: Int(UInt32(truncatingIfNeeded: number)), length: Int(number >> 32), into: &nodes)
    }

    /// The numbers fit: there are fewer bytes than 4 GiB, and fewer nodes than bytes.
    @inline(__always)
    private func append(
        _ kind: Node.Kind, from start: Int, length: Int, isPlain: Bool = false, into nodes: inout NodeList
    ) {
        nodes.append(
            Node(
                kind: kind, isPlain: isPlain, offset: UInt32(truncatingIfNeeded: start),
                length: UInt32(truncatingIfNeeded: length), next: UInt32(truncatingIfNeeded: nodes.count &+ 1)))
    }

    /// The length of a string whose bytes begin at `at` and must all be there.
    @inline(__always)
    private func length(of head: CBORHead, _ at: Int) throws(MalformedBytes) -> Int {
        guard head.argument <= UInt64(truncatingIfNeeded: end &- at) else {
            throw MalformedBytes(reason: "it ends within a string")
        }
        return Int(truncatingIfNeeded: head.argument)
    }

    /// A string that was written in pieces.
    @inline(never)
    private func pieces(
        of head: CBORHead, _ kind: Node.Kind, from start: Int, into nodes: inout NodeList
    ) throws(MalformedBytes) -> Int {
        var at = start
        while true {
            guard at < end else { throw MalformedBytes(reason: "it ends within a string") }
            if bytes[at] == CBORHead.stop { break }
            let piece = try self.head(&at)
            guard piece.major == head.major, !piece.isIndefinite else {
                throw MalformedBytes(reason: "a string has a strange piece")
            }
            at += try length(of: piece, at)
        }
        append(kind, from: start, length: at - start, into: &nodes)
        return at + 1
    }

    /// Whether a container has further items: until its count is reached, or until its end mark.
    @inline(__always)
    private func goesOn(_ count: UInt64, of head: CBORHead, _ at: inout Int) throws(MalformedBytes) -> Bool {
        guard head.isIndefinite else { return count < head.argument }
        guard at < end else { throw MalformedBytes(reason: "it ends where a value is expected") }
        guard bytes[at] == CBORHead.stop else { return true }
        at += 1
        return false
    }

    @inline(never)
    private func array(
        _ head: CBORHead, from start: Int, into nodes: inout NodeList, depth: Int
    ) throws(MalformedBytes) -> Int {
        guard depth < JSONScanner.maximumDepth else { throw MalformedBytes(reason: "it is nested too deeply") }
        guard head.argument <= UInt64(end - start) else {
            throw MalformedBytes(reason: "an array is longer than what is left")
        }
        let place = nodes.count
        nodes.append(Node(kind: .array, offset: 0, length: 0, next: 0))
        var at = start
        var count: UInt64 = 0
        while try goesOn(count, of: head, &at) {
            at = try value(from: at, into: &nodes, depth: depth &+ 1)
            count &+= 1
        }
        nodes.close(place, length: UInt32(truncatingIfNeeded: count))
        return at
    }

    @inline(never)
    private func map(
        _ head: CBORHead, from start: Int, into nodes: inout NodeList, depth: Int
    ) throws(MalformedBytes) -> Int {
        guard depth < JSONScanner.maximumDepth else { throw MalformedBytes(reason: "it is nested too deeply") }
        guard head.argument <= UInt64(end - start) / 2 else {
            throw MalformedBytes(reason: "a map is longer than what is left")
        }
        let place = nodes.count
        nodes.append(Node(kind: .object, offset: 0, length: 0, next: 0))
        var at = start
        var count: UInt64 = 0
        var keys = KeyMarks()
        while try goesOn(count, of: head, &at) {
            at = try key(from: at, into: &nodes, depth: depth &+ 1)
            let name = nodes[nodes.count &- 1]
            keys.add(name, first: name.isPlain && name.length > 0 ? bytes[Int(name.offset)] : 0)
            at = try value(from: at, into: &nodes, depth: depth &+ 1)
            count &+= 1
        }
        nodes.close(place, length: UInt32(truncatingIfNeeded: count), keys)
        return at
    }

    /// A key is one node, whatever it is.
    @inline(__always)
    private func key(from start: Int, into nodes: inout NodeList, depth: Int) throws(MalformedBytes) -> Int {
        let place = nodes.count
        let at = try value(from: start, into: &nodes, depth: depth)
        switch nodes[place].kind {
        case .text, .chunkedText, .unsigned, .negative: break
        default:
            nodes.truncate(to: place)
            append(.unnamed, from: start, length: at &- start, into: &nodes)
        }
        return at
    }

    private func simple(_ head: CBORHead, into nodes: inout NodeList) throws(MalformedBytes) {
        let kind: Node.Kind
        switch head.information {
        case CBORHead.Information.twoBytes:
            return append(.float, number: CBORFloat.double(half: UInt16(head.argument)), into: &nodes)
        case CBORHead.Information.fourBytes:
            return append(.float, number: CBORFloat.double(single: UInt32(head.argument)), into: &nodes)
        case CBORHead.Information.eightBytes: return append(.float, number: head.argument, into: &nodes)
        case CBORHead.false & 0x1f: kind = .false
        case CBORHead.true & 0x1f: kind = .true
        case CBORHead.null & 0x1f, CBORHead.undefined & 0x1f: kind = .null
        case CBORHead.Information.indefinite: throw MalformedBytes(reason: "a container ends that did not begin")
        case CBORHead.Information.oneByte where head.argument < 32:
            throw MalformedBytes(reason: "a simple value is written in a wrong way")
        default: kind = .simple
        }
        append(kind, number: head.argument, into: &nodes)
    }
}
