import MobiusJournal
import MobiusWire
import Testing

@Suite("Lists as bytes")
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
            coded([PendingEffect(id: id, effect: effects[1], asked: WallTime(milliseconds: 3), failures: 4)])
                == [1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 5, 8, 3, 4, 0xad, 2, 0])
    }

    @Test("come back as they were")
    func roundTrip() throws {
        let effects = [0, 1, 127, 128, 20_000].map { size in
            Payload(kind: kinds[size % 2], bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0) })
        }
        for dues in [[], [TimerDue(index: 1, due: WallTime(milliseconds: .min)), TimerDue(index: 4, due: time(7))]] {
            var bytes: [UInt8] = []
            PayloadLists.append(effects, dues: dues, to: &bytes) { kind throws(Never) in number(kind) }
            let read = try PayloadLists.effects(from: bytes, kind: kind)
            #expect(read.effects == effects && read.dues == dues)
        }
        #expect(try PayloadLists.effects(from: coded([Payload]()), kind: kind).effects == [])
        let pending = (0..<64).map { parts in
            let id = EffectID(loop: .main, sequence: .max - UInt64(parts), index: .max - UInt32(parts))
            let attempt = AttemptID(effect: id, attempt: Attempt(epoch: .max, number: UInt32(parts)))
            func part<T>(_ bit: Int, _ value: T) -> T? { parts & bit == 0 ? nil : value }
            return PendingEffect(
                id: id, effect: effects[parts % effects.count],
                reported: part(1, ReportID(attempt: attempt, number: 7)),
                asked: time(Int64(parts) - 30), due: part(2, time(.max)), fired: part(4, time(.min)),
                failures: part(8, .max) ?? 0, started: part(16, attempt.attempt), round: part(32, 9) ?? 0)
        }
        #expect(try PayloadLists.pending(of: .main, from: coded(pending), kind: kind) == pending)
    }

    @Test("of pending effects are read as format 1 wrote them")
    func format1() throws {
        let bytes: [UInt8] = [2, 6, 5, 0, 0xac, 2, 1, 9, 7, 0, 3, 2, 1, 0xad, 2, 0]
        let ids = [(6, 5), (7, 0)].map { EffectID(loop: .main, sequence: $0.0, index: $0.1) }
        let reported = ReportID(attempt: AttemptID(effect: ids[1], attempt: Attempt(epoch: 2, number: 1)), number: 3)
        #expect(
            try PayloadLists.pending(of: .main, from: bytes, format: 1, kind: kind) == [
                PendingEffect(id: ids[0], effect: Payload(kind: kinds[0], bytes: [9])),
                PendingEffect(id: ids[1], effect: Payload(kind: kinds[1], bytes: []), reported: reported),
            ])
    }

    @Test("with parts that nobody knows are damaged")
    func unknownParts() {
        let error = #expect(throws: JournalError.self) {
            try PayloadLists.pending(of: .main, from: [1, 6, 5, 64, 0, 0xac, 2, 0], kind: kind)
        }
        #expect(error?.code == .damaged)
    }

    @Test("are damaged when cut anywhere or followed by anything")
    func cut() {
        let bytes = coded([Payload(kind: kinds[0], bytes: [1, 2, 3]), Payload(kind: kinds[1], bytes: [4])])
        // What follows are due times, which come in pairs.
        for broken in (0..<bytes.count).map({ Array(bytes[..<$0]) }) + [bytes + [0], bytes + [0, 0, 1]] {
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
                let (effects, dues) = try PayloadLists.effects(from: bytes, kind: kind)
                #expect(dues.count <= bytes.count)
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
