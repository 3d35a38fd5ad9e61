import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Workers, what they should hold, and signs of their lives.
@Suite struct RosterTests {
    private typealias Effects = SlotTable<EffectID, EffectState>

    private static func hello(_ worker: Incarnation, _ number: UInt32 = 1, credit: UInt64 = 4) -> Hello {
        Hello(
            number: number, incarnation: worker, journal: .ours, pools: ["pool"], build: "", contentTypes: [],
            creditTotal: credit)
    }

    /// A roster with Ann, who holds these numbers of effects, and the effects.
    private static func holding(_ count: UInt64) -> (Roster, Effects, [EffectSlot]) {
        var (roster, effects) = (Roster(VisitCount()), Effects())
        _ = roster.admit(hello(.ann), at: .ann, now: .start)
        let slots = (0..<count).map { number in
            effects.insert(
                EffectState(.work(), phase: .queued, asked: WallTime(milliseconds: 0)),
                for: EffectID(loop: .main, sequence: number, index: 0))
        }
        guard let ann = roster.slot(of: .ann) else { return (roster, effects, []) }
        for slot in slots { roster.hand(slot, order(slot, effects), to: ann, &effects) }
        return (roster, effects, slots)
    }

    private static func order(_ slot: EffectSlot, _ effects: Effects) -> EffectOrder {
        EffectOrder(id: name(slot, effects), effect: .work("work"))
    }

    private static func name(_ slot: EffectSlot, _ effects: Effects) -> AttemptID {
        AttemptID(effect: effects.key(of: slot), attempt: Attempt(epoch: 1, number: 1))
    }

    private static func held(_ roster: inout Roster, _ effects: Effects) -> [UInt64] {
        roster.slot(of: .ann).map { roster.holdings(of: $0, effects).map(\.sequence) } ?? []
    }

    @Test func `an effect that is taken back before its order was sent is never sent`() {
        var (roster, effects, slots) = Self.holding(3)
        let isUnsent = roster.recall(Self.name(slots[1], effects), slots[1], from: .ann, &effects)
        #expect(isUnsent == true)
        #expect(roster[.ann]?.outbox.orders.map(\.id.effect.sequence) == [0, 2])
        equals(Self.held(&roster, effects), [0, 2])
        #expect(roster[.ann]?.free == 2)
    }

    @Test func `what a worker holds stays right, in whatever order its effects end`() {
        for seed: UInt64 in 1...20 {
            var (roster, effects, slots) = Self.holding(30)
            var random = SplitMix64(seed: seed)
            var expected = Set(0..<30 as Range<UInt64>)
            while !slots.isEmpty {
                let slot = slots.remove(at: Int(random.next() % UInt64(slots.count)))
                if random.next() % 2 == 0, let ann = roster.slot(of: .ann) {
                    roster.release(slot, from: ann, &effects)
                } else {
                    _ = roster.recall(Self.name(slot, effects), slot, from: .ann, &effects)
                }
                expected.remove(effects.key(of: slot).sequence)
                equals(Self.held(&roster, effects), expected.sorted())
            }
        }
    }

    @Test func `a worker that greets again keeps what it holds, at its new connection and in a new session`() {
        var (roster, effects, slots) = Self.holding(2)
        let session = roster.admit(Self.hello(.ann, 2), at: .bob, now: .start)
        #expect(session == 2 && roster.count == 1 && roster.order == [.ann])
        equals(Self.held(&roster, effects), [0, 1])
        #expect(roster.worker(at: .ann) == nil && roster.worker(at: .bob) == .ann)
        equals(roster.recall(Self.name(slots[0], effects), slots[0], from: .bob, &effects), nil, "Bob never came")
    }

    @Test func `silence makes a worker suspect, then lost; a lost connection makes it lost earlier`() {
        let timing = SessionTiming()
        var (roster, _, _) = Self.holding(0)
        equals(roster.judge(.ann, timing, at: .start), .none)
        equals(roster.judge(.ann, timing, at: .start + timing.suspectAfter), .suspect)
        #expect(roster[.ann]?.free == 0)
        equals(roster.judge(.ann, timing, at: .start + timing.suspectAfter), .none, "told twice")
        equals(roster.judge(.ann, timing, at: .start + timing.deadAfter), .lost)
        if let ann = roster.slot(of: .ann) { roster.hear(ann, credit: nil, at: .start + timing.deadAfter) }
        equals(roster.judge(.ann, timing, at: .start + timing.deadAfter), .none)
        roster.disconnect(.ann, at: .start + timing.deadAfter)
        equals(roster.judge(.ann, timing, at: .start + timing.deadAfter + timing.reconnectGrace), .lost)
    }

    @Test func `a pause of the coordinator counts against nobody`() {
        let timing = SessionTiming()
        var (roster, _, _) = Self.holding(0)
        let pause = timing.deadAfter - .milliseconds(1)
        roster.pardon(pause, isLong: false, at: .start + pause)
        equals(roster.judge(.ann, timing, at: .start + timing.deadAfter), .none)
        roster.pardon(.seconds(3600), isLong: true, at: .start + .seconds(3600))
        equals(roster.judge(.ann, timing, at: .start + .seconds(3600)), .none)
    }
}
