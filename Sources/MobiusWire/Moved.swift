/// The answer of a coordinator that does not run the loops: where the one runs that does.
public struct Moved: Hashable, Sendable {
    /// The owner's endpoint for workers; `nil` while there is no owner.
    public var endpoint: String?
    /// The number of the HELLO that it answers; 0 when that had none.
    public var hello: UInt32
    /// The number of shards of the cluster: 1 to ``ClusterMap/maximumShards``.
    public var shards: UInt32

    /// Names the owner's endpoint, which must be possible; see ``isPossible(endpoint:)``.
    public init(endpoint: String?, hello: UInt32 = 0, shards: UInt32 = 1) {
        self.endpoint = endpoint
        self.hello = hello
        self.shards = shards
    }

    /// The longest endpoint, in bytes of UTF-8.
    public static let maximumEndpoint = 255
    /// The longest path of an `ipc` endpoint, in bytes: Linux's `sun_path` without its final NUL.
    public static let maximumPath = 107

    /// Whether a MOVED may name this endpoint: one that peers can connect to, up to ``maximumEndpoint`` bytes long.
    ///
    /// That is `tcp://HOST:PORT` with a host that is no wildcard and a port from 1, or `ipc://` with an absolute path, or with `@` and
    /// a name. To encode a message with another one is a programmer error, and to read one is an error of the message.
    public static func isPossible(endpoint: String) -> Bool {
        let bytes = endpoint.utf8
        guard bytes.count <= maximumEndpoint else { return false }
        if endpoint.hasPrefix("tcp://") { return isPossible(address: bytes.dropFirst("tcp://".utf8.count)) }
        if endpoint.hasPrefix("ipc://") { return isPossible(path: bytes.dropFirst("ipc://".utf8.count)) }
        return false
    }

    private static func isPossible(path: String.UTF8View.SubSequence) -> Bool {
        guard path.first == UInt8(ascii: "/") || path.first == UInt8(ascii: "@") else { return false }
        return (2...maximumPath).contains(path.count) && path.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func isPossible(address: String.UTF8View.SubSequence) -> Bool {
        guard let colon = address.lastIndex(of: UInt8(ascii: ":")) else { return false }
        let (host, port) = (address[..<colon], address[address.index(after: colon)...])
        guard port.first != UInt8(ascii: "0"), (1...5).contains(port.count),
            port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return false }
        guard port.reduce(0, { $0 * 10 + Int($1 - UInt8(ascii: "0")) }) <= Int(UInt16.max) else { return false }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 2 {
            return isPossible(name: host.dropFirst().dropLast(), signs: ":.%-_")
        }
        return isPossible(name: host, signs: ".-_")
    }

    /// Whether a host consists of letters, digits and these signs, and is not a wildcard such as `0.0.0.0` or `::`.
    private static func isPossible(name: String.UTF8View.SubSequence, signs: StaticString) -> Bool {
        let signs = UnsafeBufferPointer(start: signs.utf8Start, count: signs.utf8CodeUnitCount)
        var isWildcard = true
        for byte in name {
            switch byte {
            case UInt8(ascii: "0"), UInt8(ascii: "."), UInt8(ascii: ":"): break
            default: isWildcard = false
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                break
            default: guard signs.contains(byte) else { return false }
            }
        }
        return !isWildcard
    }
}

extension Moved {
    private enum Tag {
        static let endpoint: UInt8 = 1
        static let hello: UInt8 = 2
        static let shards: UInt8 = 3
    }

    /// The most bytes that ``write(to:)`` writes.
    var length: Int { 3 * ByteWriter.fieldOverhead + 1 + (endpoint?.utf8.count ?? 0) + 4 + 4 + 1 }

    func write(to writer: inout ByteWriter) {
        if let endpoint { writer.field(Tag.endpoint) { $0.endpoint(endpoint) } }
        if hello > 0 { writer.field(Tag.hello) { $0.uint32(hello) } }
        if shards > 1 { writer.field(Tag.shards) { $0.uint32(shards) } }
        writer.endFields()
    }

    init(from reader: inout WireReader) throws(WireError) {
        var endpoint: String?
        var hello: UInt32 = 0
        var shards: UInt32 = 1
        try reader.endedFields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.endpoint: endpoint = try value.endpoint("endpoint")
            case Tag.hello: hello = try value.uint32("hello")
            case Tag.shards: shards = try value.shards()
            default: return false
            }
            return true
        }
        self.init(endpoint: endpoint, hello: hello, shards: shards)
    }
}

extension ByteWriter {
    /// Writes the endpoint of a MOVED, which is never cut: half of one would name another host or port.
    mutating func endpoint(_ endpoint: String) {
        precondition(
            Moved.isPossible(endpoint: endpoint),
            "A MOVED names an endpoint that peers can connect to, such as tcp://10.0.0.2:5711.")
        shortString(endpoint)
    }
}

extension WireReader {
    /// Reads the number of a cluster's shards, each of which costs a worker a connection.
    mutating func shards() throws(WireError) -> UInt32 {
        let shards = try uint32("shards")
        guard 1...UInt32(ClusterMap.maximumShards) ~= shards else {
            throw WireError(.invalidField, "\(shards) shards")
        }
        return shards
    }

    /// Reads the endpoint of a MOVED.
    mutating func endpoint(_ field: StaticString) throws(WireError) -> String {
        let endpoint = try shortString(field)
        guard Moved.isPossible(endpoint: endpoint) else {
            throw WireError(.invalidField, "endpoint is none that peers can connect to")
        }
        return endpoint
    }
}
