import MobiusJournal
import MobiusWire
import Testing

@Suite("Pending effects as bytes")
struct PayloadListTests {
    private let kinds = [PayloadKind(type: "A"), PayloadKind(type: "B", version: 7, contentType: "text/plain")]

    private func time(_ milliseconds: Int64) -> WallTime { WallTime(milliseconds: milliseconds) }

    private func number(_ kind: PayloadKind) -> UInt64 {
        UInt64(kinds.firstIndex(of: kind) ?? 0) + 300
    }

    private func kind(_ number: UInt64) throws(JournalError) -> PayloadKind {
        guard number >= 300, number - 300 < UInt64(kinds.count) else {
            throw JournalError(.damaged, "no such kind")
        }
        return kinds[Int(number - 300)]
    }

    private func coded(_ pending: [PendingEffect]) -> [UInt8] {
        var bytes: [UInt8] = []
        PayloadLists.append(pending, to: &bytes) { kind throws(Never) in number(kind) }
        return bytes
    }

    @Test("have these bytes")
    func golden() {
        let ids = [(1 << 63, 5), (7, 0)].map { EffectID(loop: .main, sequence: $0.0, index: $0.1) }
        #expect(
            coded([
                PendingEffect(
                    id: ids[0], effect: Payload(kind: kinds[1], bytes: []), asked: WallTime(milliseconds: 3),
                    failures: 4),
                PendingEffect(id: ids[1], effect: Payload(kind: kinds[0], bytes: [1, 2, 3]), asked: time(300)),
            ])
                == [2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 5, 8, 3, 4, 0xad, 2, 0]
                + [7, 0, 0, 0xac, 2, 0xac, 2, 3, 1, 2, 3])
    }

    @Test("come back as they were")
    func roundTrip() throws {
        let effects = [0, 1, 127, 128, 20_000].map { size in
            Payload(kind: kinds[size % 2], bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0) })
        }
        let replies = [
            LoopReply(nil), LoopReply(.refusal("no 🍏")), LoopReply(.answer(effects[3])),
        ]
        let pending = (0..<128).map { parts in
            let id = EffectID(loop: .main, sequence: .max - UInt64(parts), index: .max - UInt32(parts))
            let attempt = AttemptID(effect: id, attempt: Attempt(epoch: .max, number: UInt32(parts)))
            func part<T>(_ bit: Int, _ value: T) -> T? { parts & bit == 0 ? nil : value }
            return PendingEffect(
                id: id, effect: effects[parts % effects.count],
                reported: part(1, ReportID(attempt: attempt, number: 7)),
                asked: time(Int64(parts) - 30), due: part(2, time(.max)), fired: part(4, time(.min)),
                failures: part(8, .max) ?? 0, started: part(16, attempt.attempt), round: part(32, 9) ?? 0,
                answered: part(64, replies[parts % 3]))
        }
        #expect(try PayloadLists.pending(of: .main, from: coded(pending), kind: kind) == pending)
    }

    @Test("with parts that nobody knows are damaged")
    func unknownParts() {
        let error = #expect(throws: JournalError.self) {
            try PayloadLists.pending(of: .main, from: [1, 6, 5, 0x80, 1, 0, 0xac, 2, 0], kind: kind)
        }
        #expect(error?.code == .damaged)
    }

    @Test("are damaged when cut anywhere or followed by anything")
    func cut() {
        let effects = [Payload(kind: kinds[0], bytes: [1, 2, 3]), Payload(kind: kinds[1], bytes: [4])]
        let pending = effects.map {
            PendingEffect(id: EffectID(loop: .main, sequence: 6, index: 1), effect: $0, round: 1)
        }
        let bytes = coded(pending)
        for broken in (0..<bytes.count).map({ Array(bytes[..<$0]) }) + [bytes + [0]] {
            let error = #expect(throws: JournalError.self) {
                try PayloadLists.pending(of: .main, from: broken, kind: kind)
            }
            #expect(error?.code == .damaged)
        }
    }

    @Test("any bytes are a list or damage, at no cost beyond their length")
    func anyBytes() {
        var random = SplitMix(state: 7)
        for _ in 0..<20_000 {
            // Mostly small numbers, which get far into the reader.
            let bytes = (0..<Int(random.next() % 24)).map { _ -> UInt8 in
                let likely: [UInt8] = [1, 0xac, 2, 0, 3]
                let number = random.next()
                return number % 4 == 0 ? UInt8(truncatingIfNeeded: number >> 8) : likely[Int((number >> 8) % 5)]
            }
            do throws(JournalError) {
                let pending = try PayloadLists.pending(of: .main, from: bytes, kind: kind)
                #expect(pending.reduce(0) { $0 + $1.effect.bytes.count } <= bytes.count)
            } catch {
                #expect(error.code == .damaged)
            }
        }
    }

    @Test("the hash is FNV-1a")
    func hash() {
        #expect(FNV1a.hash([]) == 0xcbf2_9ce4_8422_2325)
        #expect(FNV1a.hash(Array("a".utf8)) == 0xaf63_dc4c_8601_ec8c)
        #expect(FNV1a.hash(Array("foobar".utf8)) == 0x8594_4171_f739_67e8)
    }
}

/// Steele, Lea and Flood's SplitMix64: the same bytes in every run.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
