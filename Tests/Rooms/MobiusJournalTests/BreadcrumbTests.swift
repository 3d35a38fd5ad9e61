import MobiusJournal
import MobiusWire
import Testing

@Suite("A breadcrumb")
struct BreadcrumbTests {
    /// Memory as a process finds it that maps a file.
    private final class Memory {
        let bytes: UnsafeMutableRawBufferPointer

        init(_ count: Int = BreadcrumbSlot.minimumSize) {
            bytes = .allocate(byteCount: count, alignment: 16)
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        }

        deinit { bytes.deallocate() }

        func slot() -> BreadcrumbSlot {
            BreadcrumbSlot(bytes, journal: JournalID(high: 7, low: .max), epoch: 9, build: "1.2 🍏")
        }

        var trace: BreadcrumbSlot.Trace? { BreadcrumbSlot.read(UnsafeRawBufferPointer(bytes)) }
    }

    private static let effect = EffectID(loop: .main, sequence: .max, index: .max)
    private static let sources: [SourceKey] = [
        .start, .outside(""), .outside("key\u{0} of 🍏"), .failure(effect, round: .max),
        .report(AttemptID(effect: effect, attempt: Attempt(epoch: .max, number: .max)), number: .max),
        .timer(effect, due: WallTime(milliseconds: .min)),
        .loop(EffectID(loop: LoopID("a sender 🍏") ?? .main, sequence: .max, index: .max)), .answer(effect),
    ]

    private func event(_ count: Int) -> Payload {
        let kind = PayloadKind(type: "Event\u{0}", version: .max, contentType: "text/plain")
        return Payload(kind: kind, bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    }

    @Test("comes back as it was laid", arguments: sources, [nil, 0, 1, 31, 100, 3_000])
    func roundTrip(source: SourceKey, size: Int?) {
        let memory = Memory()
        for replayed in [nil, UInt64.max] {
            let event = size.map { self.event($0) }
            var slot = memory.slot()
            slot.record(loop: .main, source: source, event: event, replayed: replayed)
            let breadcrumb = Breadcrumb(loop: .main, source: source, event: event, replayed: replayed)
            #expect(
                memory.trace
                    == BreadcrumbSlot.Trace(
                        state: .applying, journal: JournalID(high: 7, low: .max), epoch: 9, build: "1.2 🍏",
                        breadcrumb: breadcrumb))
        }
    }

    @Test("is there from laying to clearing, and a signal handler's mark with it")
    func states() {
        let memory = Memory()
        #expect(memory.trace == nil, "whatever is in the file")
        var slot = memory.slot()
        #expect(memory.trace == nil)
        slot.record(loop: .main, source: .outside("a"), event: event(50))
        slot.clear()
        #expect(memory.trace == nil)
        slot.record(loop: .main, source: .outside("b"), event: event(20))
        #expect(memory.bytes[BreadcrumbSlot.stateOffset] == BreadcrumbSlot.State.applying.rawValue)
        memory.bytes[BreadcrumbSlot.stateOffset] = BreadcrumbSlot.State.trapped.rawValue
        #expect(memory.trace?.state == .trapped)
        #expect(memory.trace?.breadcrumb.source == .outside("b"))
        _ = memory.slot()
        #expect(memory.trace == nil, "a new start begins with an empty one")
    }

    @Test("keeps the beginning of an event that is too long, and says so", arguments: [4_096, 9_000])
    func cut(size: Int) throws {
        let memory = Memory(size)
        let event = event(100_000)
        var slot = memory.slot()
        slot.record(loop: .main, source: .outside("key"), event: event)
        let found = try #require(memory.trace?.breadcrumb)
        let bytes = try #require(found.event?.bytes)
        #expect(found.isCut)
        #expect(found.event?.kind == event.kind && found.source == .outside("key"))
        #expect(bytes.count > size - 500 && bytes.count < size)
        #expect(bytes == Array(event.bytes.prefix(bytes.count)))
    }

    @Test("is none when not even the key has room")
    func longKey() {
        let memory = Memory()
        var slot = memory.slot()
        slot.record(loop: .main, source: .outside(String(repeating: "k", count: 4_000)), event: nil)
        #expect(memory.trace == nil)
        slot.record(loop: .main, source: .outside(String(repeating: "k", count: 3_000)), event: nil)
        #expect(memory.trace != nil)
    }

    @Test("of many events, of one loop and kind or of others, are those of the last")
    func oneAfterAnother() throws {
        let memory = Memory()
        var slot = memory.slot()
        let other = try #require(LoopID("other"))
        let kinds = [PayloadKind(type: "a"), PayloadKind(type: "a"), PayloadKind(type: "longer", version: 2), nil, nil]
        for (loop, source) in [LoopID.main, .main, other, .main].flatMap({ loop in Self.sources.map { (loop, $0) } }) {
            for kind in kinds {
                let event = kind.map { Payload(kind: $0, bytes: [1, 2, 3]) }
                slot.record(loop: loop, source: source, event: event)
                // The loop of an effect is that of the event.
                let breadcrumb = try #require(memory.trace?.breadcrumb)
                #expect(breadcrumb.loop == loop)
                #expect(breadcrumb.event == event)
                if case .outside = source { #expect(breadcrumb.source == source) }
                slot.clear()
            }
        }
    }

    @Test("that a power cut has torn is none")
    func torn() throws {
        let memory = Memory()
        var slot = memory.slot()
        slot.record(loop: .main, source: Self.sources[4], event: event(103), replayed: 3)
        let whole = try #require(memory.trace)
        var changed = 0
        for index in 1..<700 {
            let old = memory.bytes[index]
            memory.bytes[index] ^= 1 << UInt8(index % 8)
            // Bytes 1…7 and whatever follows the event mean nothing.
            let found = memory.trace
            #expect(found == nil || found == whole, "at \(index)")
            if found == nil { changed += 1 }
            memory.bytes[index] = old
        }
        #expect(changed > 400)
        #expect(memory.trace == whole)
    }

    @Test("lengths that cannot be are none")
    func lengths() {
        let memory = Memory()
        var slot = memory.slot()
        slot.record(loop: .main, source: .outside("k"), event: event(10))
        for offset in [264, 308, 310, 312, 314, 316] {
            let old = memory.bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            for length in [UInt16.max, 0, 4_097] {
                memory.bytes.storeBytes(of: length, toByteOffset: offset, as: UInt16.self)
                #expect(memory.trace == nil)
            }
            memory.bytes.storeBytes(of: old, toByteOffset: offset, as: UInt16.self)
        }
        #expect(memory.trace != nil)
        #expect(BreadcrumbSlot.read(UnsafeRawBufferPointer(rebasing: memory.bytes[..<100])) == nil, "a file cut short")
    }

    @Test("sources have bytes of their own, and any others are damage", arguments: sources)
    func sourceBytes(source: SourceKey) throws {
        #expect(try SourceKey(source.bytes, of: .main) == source)
        #expect(Self.sources.count { $0.bytes == source.bytes } == 1)
        if case .outside = source { return }
        for bytes in [Array(source.bytes.dropLast()), source.bytes + [0], [9] + source.bytes.dropFirst()] {
            let error = #expect(throws: JournalError.self) { try SourceKey(bytes, of: .main) }
            #expect(error?.code == .damaged)
        }
        let error = #expect(throws: JournalError.self) { try SourceKey([3, 0xff], of: .main) }
        #expect(error?.code == .damaged)
    }
}
