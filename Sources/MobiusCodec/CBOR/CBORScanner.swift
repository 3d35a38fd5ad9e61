/// Finds the data items of CBOR bytes (RFC 8949) in one pass.
///
/// It checks that the bytes are well-formed. Whether a text is UTF-8 is checked when it is asked for. Lengths and counts are
/// compared with the bytes that are left before anything is done with them.
struct CBORScanner {
    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private var at = 0

    private init(_ base: UnsafePointer<UInt8>, count: Int) {
        bytes = base
        end = count
    }

    /// Appends the nodes of exactly one data item.
    static func scan(_ buffer: UnsafeRawBufferPointer, into nodes: inout NodeList) throws(MalformedBytes) {
        guard let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), !buffer.isEmpty else {
            throw MalformedBytes(reason: "there is no value")
        }
        guard buffer.count < UInt32.max else { throw MalformedBytes(reason: "it is longer than 4 GiB") }
        var scanner = CBORScanner(base, count: buffer.count)
        try scanner.value(into: &nodes, depth: 0)
        guard scanner.at == scanner.end else { throw MalformedBytes(reason: "something follows the value") }
    }

    @inline(__always)
    private mutating func head() throws(MalformedBytes) -> CBORHead {
        guard let head = CBORHead(bytes, &at, end: end) else { throw malformedHead }
        return head
    }

    private var malformedHead: MalformedBytes {
        guard at < end else { return MalformedBytes(reason: "it ends where a value is expected") }
        return (28...30).contains(bytes[at] & 0x1f)
            ? MalformedBytes(reason: "a value begins with a byte that means nothing")
            : MalformedBytes(reason: "it ends within a value")
    }

    private mutating func value(into nodes: inout NodeList, depth: Int) throws(MalformedBytes) {
        var head = try head()
        let tag = head.major == .tag ? try tag(&head) : .none
        let start = nodes.count
        let isIndefinite = head.information == CBORHead.Information.indefinite
        switch head.major {
        case .unsigned, .negative, .tag:
            guard !isIndefinite else { throw MalformedBytes(reason: "a number has no end") }
            integer(head, into: &nodes)
        case .bytes: try string(head, isIndefinite, .bytes, .chunkedBytes, into: &nodes)
        case .text: try string(head, isIndefinite, .text, .chunkedText, into: &nodes)
        case .array: try array(head, isIndefinite, into: &nodes, depth: depth)
        case .map: try map(head, isIndefinite, into: &nodes, depth: depth)
        case .simple: try simple(head, into: &nodes)
        }
        if tag != .none { nodes[start].tag = tag }
    }

    /// Steps over tags, up to the head of their content.
    private mutating func tag(_ head: inout CBORHead) throws(MalformedBytes) -> CBORTag {
        var found = CBORTag.none
        while head.major == .tag {
            guard head.information != CBORHead.Information.indefinite else {
                throw MalformedBytes(reason: "a tag has no end")
            }
            let tag = CBORTag(number: head.argument)
            if tag != .none { found = found == .none ? tag : .several }
            head = try self.head()
        }
        return found
    }

    private func integer(_ head: CBORHead, into nodes: inout NodeList) {
        append(head.major == .unsigned ? .unsigned : .negative, number: head.argument, into: &nodes)
    }

    private func append(_ kind: Node.Kind, number: UInt64, into nodes: inout NodeList) {
        nodes.append(
            Node(
                kind: kind, offset: UInt32(truncatingIfNeeded: number),
                length: UInt32(truncatingIfNeeded: number >> 32),
                next: UInt32(nodes.count + 1)))
    }

    private func append(
        _ kind: Node.Kind, from start: Int, length: Int, isPlain: Bool = false, into nodes: inout NodeList
    ) {
        nodes.append(
            Node(
                kind: kind, isPlain: isPlain, offset: UInt32(start), length: UInt32(length),
                next: UInt32(nodes.count + 1)))
    }

    /// Steps over the bytes of a string.
    private mutating func content(_ head: CBORHead) throws(MalformedBytes) -> Int {
        guard head.argument <= UInt64(end - at) else { throw MalformedBytes(reason: "it ends within a string") }
        at += Int(head.argument)
        return Int(head.argument)
    }

    private mutating func string(
        _ head: CBORHead, _ isIndefinite: Bool, _ whole: Node.Kind, _ chunked: Node.Kind, into nodes: inout NodeList
    ) throws(MalformedBytes) {
        let start = at
        guard isIndefinite else {
            let length = try content(head)
            let isPlain = head.major == .text && JSONText.isASCII(bytes + start, length)
            return append(whole, from: start, length: length, isPlain: isPlain, into: &nodes)
        }
        while true {
            guard at < end else { throw MalformedBytes(reason: "it ends within a string") }
            if bytes[at] == CBORHead.stop { break }
            let piece = try self.head()
            guard piece.major == head.major, piece.information != CBORHead.Information.indefinite else {
                throw MalformedBytes(reason: "a string has a strange piece")
            }
            _ = try content(piece)
        }
        append(chunked, from: start, length: at - start, into: &nodes)
        at += 1
    }

    /// Whether a container goes on: whose count was said until it is reached, any other until its end is marked.
    private mutating func goesOn(_ count: UInt64, of head: CBORHead, _ isIndefinite: Bool) throws(MalformedBytes)
        -> Bool
    {
        guard isIndefinite else { return count < head.argument }
        guard at < end else { throw MalformedBytes(reason: "it ends where a value is expected") }
        guard bytes[at] == CBORHead.stop else { return true }
        at += 1
        return false
    }

    private mutating func array(
        _ head: CBORHead, _ isIndefinite: Bool, into nodes: inout NodeList, depth: Int
    ) throws(MalformedBytes) {
        guard depth < JSONScanner.maximumDepth else { throw MalformedBytes(reason: "it is nested too deeply") }
        guard head.argument <= UInt64(end - at) else {
            throw MalformedBytes(reason: "an array is longer than what is left")
        }
        let place = nodes.count
        nodes.append(Node(kind: .array, offset: 0, length: 0, next: 0))
        var count: UInt64 = 0
        while try goesOn(count, of: head, isIndefinite) {
            try value(into: &nodes, depth: depth + 1)
            count += 1
        }
        nodes[place].length = UInt32(count)
        nodes[place].next = UInt32(nodes.count)
    }

    private mutating func map(
        _ head: CBORHead, _ isIndefinite: Bool, into nodes: inout NodeList, depth: Int
    ) throws(MalformedBytes) {
        guard depth < JSONScanner.maximumDepth else { throw MalformedBytes(reason: "it is nested too deeply") }
        guard head.argument <= UInt64(end - at) / 2 else {
            throw MalformedBytes(reason: "a map is longer than what is left")
        }
        let place = nodes.count
        nodes.append(Node(kind: .object, offset: 0, length: 0, next: 0))
        var count: UInt64 = 0
        var keys = KeyMarks()
        while try goesOn(count, of: head, isIndefinite) {
            try key(into: &nodes, depth: depth + 1)
            let name = nodes[nodes.count - 1]
            keys.add(name, first: name.isPlain && name.length > 0 ? bytes[Int(name.offset)] : 0)
            try value(into: &nodes, depth: depth + 1)
            count += 1
        }
        nodes[place].length = UInt32(count)
        nodes[place].next = UInt32(nodes.count)
        nodes[place].isPlain = keys.arePlain
    }

    /// A key is one node, whatever it is.
    private mutating func key(into nodes: inout NodeList, depth: Int) throws(MalformedBytes) {
        let place = nodes.count
        let start = at
        try value(into: &nodes, depth: depth)
        switch nodes[place].kind {
        case .text, .chunkedText, .unsigned, .negative: return
        default: break
        }
        nodes.truncate(to: place)
        append(.unnamed, from: start, length: at - start, into: &nodes)
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
