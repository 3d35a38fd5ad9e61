import MobiusWire
import Testing

@Suite("Maps of clusters")
struct ClusterMapTests {
    private static func halves(_ clients: String?) -> ClusterMap? {
        ClusterMap([
            ClusterMap.Shard(slices: SliceSet(0..<512), clients: "tcp://10.0.0.2:5712"),
            ClusterMap.Shard(slices: SliceSet(512..<1024), clients: clients),
        ])
    }

    private static func bytes(_ answer: ClientAnswer) -> [UInt8] {
        var bytes: [UInt8] = []
        NumberedAnswer(epoch: 0, number: 7, answer: answer).encode(into: &bytes)
        return bytes
    }

    private static func decoded(_ bytes: [UInt8]) throws -> ClientAnswer {
        try bytes.withUnsafeBytes { try NumberedAnswer(decoding: RawSpan(_unsafeBytes: $0)).answer }
    }

    @Test("a map has 1 to 256 shards")
    func size() {
        #expect(ClusterMap([]) == nil)
        let shard = ClusterMap.Shard(slices: .all, clients: nil)
        #expect(ClusterMap([ClusterMap.Shard](repeating: shard, count: 256)) != nil)
        #expect(ClusterMap([ClusterMap.Shard](repeating: shard, count: 257)) == nil)
    }

    @Test("each loop is in the shard of its slice, and in the first one when none has that")
    func shards() throws {
        let map = try #require(Self.halves(nil))
        for number in 0..<200 {
            let loop = try #require(LoopID("loop \(number)"))
            #expect(map.shard(of: loop) == (SliceSet.slice(of: loop) < 512 ? 0 : 1))
        }
        let empty = try #require(ClusterMap([ClusterMap.Shard(slices: SliceSet(), clients: nil)]))
        #expect(empty.shard(of: .main) == 0)
    }

    @Test("an answer with a map comes back as it was said", arguments: [nil, "ipc:///run/fleet/clients"])
    func coding(clients: String?) throws {
        for endpoint in [nil, "tcp://10.0.0.2:5712"] {
            let answer = ClientAnswer.moved(endpoint: endpoint, map: Self.halves(clients))
            let bytes = Self.bytes(answer)
            #expect(try Self.decoded(bytes) == answer)
            for end in 0..<bytes.count { #expect(throws: WireError.self) { try Self.decoded(Array(bytes[..<end])) } }
        }
    }

    @Test("an answer without a map has the bytes of an earlier build")
    func without() throws {
        let plain = Self.bytes(.moved(endpoint: "tcp://10.0.0.2:5712"))
        #expect(plain == Self.bytes(.moved(endpoint: "tcp://10.0.0.2:5712", map: nil)))
        #expect(try Self.decoded(plain) == .moved(endpoint: "tcp://10.0.0.2:5712", map: nil))
    }

    @Test("too many shards, and endpoints that nobody can connect to, are refused")
    func hostile() throws {
        let head = Array(Self.bytes(.moved(endpoint: nil)).prefix(Head.length))
        func moved(_ shards: [String]) throws -> ClientAnswer {
            try Self.decoded(head + #"{"shards":[\#(shards.joined(separator: ","))]}"#.utf8)
        }
        let slices = String(repeating: "0", count: 256)
        let shard = #"{"slices":"\#(slices)"}"#
        #expect(try moved([String](repeating: shard, count: 256)).command == .moved)
        #expect(throws: WireError.self) { try moved([String](repeating: shard, count: 257)) }
        #expect(throws: WireError.self) { try moved([#"{"slices":"\#(slices)","endpoint":"tcp://*:1"}"#]) }
        for wrong in [slices.dropLast(2), slices.dropLast() + "x", slices.dropLast(2) + "é", slices + "00"]
            as [Substring]
        {
            #expect(throws: WireError.self) { try moved([#"{"slices":"\#(wrong)"}"#]) }
        }
    }

    @Test("numbers of shards that a worker cannot serve are refused")
    func numbers() throws {
        for (shards, isKnown) in [(UInt32(1), true), (256, true), (257, false), (.max, false), (0, false)] {
            var bytes: [UInt8] = []
            Envelope(epoch: 0, session: 0, message: CoordinatorMessage.moved(Moved(endpoint: nil))).encode(into: &bytes)
            bytes.removeLast()
            bytes += [3, 4, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: shards >> (8 * $0)) } + [0]
            let moved = try? bytes.withUnsafeBytes {
                try Envelope<CoordinatorMessage>(decoding: RawSpan(_unsafeBytes: $0)).message
            }
            #expect((moved == .moved(Moved(endpoint: nil, shards: shards))) == isKnown)
        }
    }
}
