import MobiusJournal
import MobiusWire
import Testing

@Suite("An event's record")
struct EventRecordTests {
    private let record = EventRecord(
        loop: .main, sequence: 7, source: .outside("key"), event: Self.payload(1), effects: [Self.payload(2)], ends: nil
    )

    private static func payload(_ byte: UInt8) -> Payload {
        Payload(kind: PayloadKind(type: "Test.Event"), bytes: [byte])
    }

    @Test("is changed without a change of its copies")
    func copies() throws {
        let effect = EffectID(loop: .main, sequence: 3, index: 1)
        let changes: [(inout EventRecord) -> Void] = [
            { $0.loop = LoopID("other").unsafelyUnwrapped },
            { $0.sequence = 8 },
            { $0.source = .outside("other") },
            { $0.event = nil },
            { $0.effects = [Self.payload(3), Self.payload(4)] },
            { $0.ends = effect },
            { $0.time = WallTime(milliseconds: 5) },
            { $0.dues = [TimerDue(index: 0, due: WallTime(milliseconds: 6))] },
        ]
        let before = record
        for change in changes {
            var changed = record
            change(&changed)
            #expect(changed != record)
            #expect(before == record && before.sequence == 7 && before.effects == [Self.payload(2)])
            let again = changed
            change(&changed)
            #expect(changed == again)
        }
    }

    @Test("keeps its loop and the effect that it ended, whatever its source says")
    func independence() {
        let (main, other) = (LoopID.main, LoopID("other").unsafelyUnwrapped)
        let effect = EffectID(loop: main, sequence: 3, index: 1)
        let report = SourceKey.report(AttemptID(effect: effect, attempt: Attempt(epoch: 1, number: 1)), number: 1)
        let sources = [
            report, .failure(effect, round: 0), .timer(effect, due: WallTime(milliseconds: 5)), .outside("key"),
            .answer(effect),
        ]
        for (loop, ends) in [(main, nil), (main, effect), (other, effect), (other, EffectID?.none)] {
            for source in sources {
                var record = EventRecord(
                    loop: loop, sequence: 7, source: source, event: Self.payload(1), effects: [], ends: ends)
                #expect(record.loop == loop && record.source == source && record.ends == ends)
                for changed in sources {
                    record.source = changed
                    #expect(record.loop == loop && record.source == changed && record.ends == ends)
                }
                record.ends = EffectID(loop: other, sequence: 4, index: 0)
                #expect(record.loop == loop && record.ends?.sequence == 4)
                record.loop = other
                #expect(record.loop == other && record.ends?.sequence == 4 && record.event == Self.payload(1))
            }
        }
    }

    @Test("equals another that says the same", arguments: 0...2)
    func equality(effects: Int) {
        func made() -> EventRecord {
            EventRecord(
                loop: .main, sequence: 7, source: .start, event: nil,
                effects: (0..<effects).map { Self.payload(UInt8($0)) }, ends: nil)
        }
        #expect(made() == made())
        #expect(made().effects.count == effects)
    }
}
