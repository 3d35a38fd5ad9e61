import MobiusJournal
import MobiusWire
import Testing

@Suite("Lists as bytes")
struct PayloadListTests {
    private let kinds = [PayloadKind(type: "A"), PayloadKind(type: "B", version: 7, contentType: "text/plain")]

    private func number(_ kind: PayloadKind) -> UInt64 {
        UInt64(kinds.firstIndex(of: kind) ?? 0) + 300
    }

    private func kind(_ number: UInt64) throws(JournalError) -> PayloadKind {
        guard number >= 300, number - 300 < UInt64(kinds.count) else {
            throw JournalError(.damaged, "no such kind")
        }
        return kinds[Int(number - 300)]
    }

    private func coded(_ effects: [Payload]) -> [UInt8] {
        var bytes: [UInt8] = []
        PayloadLists.append(effects, to: &bytes) { kind throws(Never) in number(kind) }
        return bytes
    }

    private func coded(_ pending: [PendingEffect]) -> [UInt8] {
        var bytes: [UInt8] = []
        PayloadLists.append(pending, to: &bytes) { kind throws(Never) in number(kind) }
        return bytes
    }

    @Test("have these bytes")
    func golden() {
        let effects = [Payload(kind: kinds[0], bytes: [1, 2, 3]), Payload(kind: kinds[1], bytes: [])]
        #expect(coded(effects) == [2, 0xac, 2, 3, 1, 2, 3, 0xad, 2, 0])
        let id = EffectID(loop: .main, sequence: 1 << 63, index: 5)
        #expect(
            coded([PendingEffect(id: id, effect: effects[1])])
                == [1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 5, 0, 0xad, 2, 0])
    }

    @Test("come back as they were")
    func roundTrip() throws {
        let effects = [0, 1, 127, 128, 20_000].map { size in
            Payload(kind: kinds[size % 2], bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0) })
        }
        #expect(try PayloadLists.effects(from: coded(effects), kind: kind) == effects)
        #expect(try PayloadLists.effects(from: coded([Payload]()), kind: kind) == [])
        let pending = effects.enumerated().map { index, effect in
            let id = EffectID(loop: .main, sequence: .max - UInt64(index), index: .max - UInt32(index))
            let attempt = AttemptID(effect: id, attempt: Attempt(epoch: .max, number: UInt32(index)))
            return PendingEffect(
                id: id, effect: effect, reported: index % 2 == 0 ? nil : ReportID(attempt: attempt, number: 7))
        }
        #expect(try PayloadLists.pending(of: .main, from: coded(pending), kind: kind) == pending)
    }

    @Test("are damaged when cut anywhere or followed by anything")
    func cut() {
        let bytes = coded([Payload(kind: kinds[0], bytes: [1, 2, 3]), Payload(kind: kinds[1], bytes: [4])])
        for broken in (0..<bytes.count).map({ Array(bytes[..<$0]) }) + [bytes + [0]] {
            let error = #expect(throws: JournalError.self) { try PayloadLists.effects(from: broken, kind: kind) }
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
                let effects = try PayloadLists.effects(from: bytes, kind: kind)
                #expect(effects.reduce(0) { $0 + $1.bytes.count } <= bytes.count)
                _ = try PayloadLists.pending(of: .main, from: bytes, kind: kind)
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
