import MobiusWire
import Testing

@Suite("Names")
struct NameTests {
    @Test("a loop's name has 1 to 128 bytes")
    func loops() {
        #expect(LoopID("main") == .main)
        #expect(LoopID("") == nil)
        #expect(LoopID(String(repeating: "ü", count: 64))?.description == String(repeating: "ü", count: 64))
        #expect(LoopID(String(repeating: "ü", count: 64) + "x") == nil)
    }

    @Test("loops with other bytes are other loops, whatever they look like")
    func equivalentNames() {
        #expect(LoopID("caf\u{e9}") != LoopID("cafe\u{301}"))
        #expect(LoopID("caf\u{e9}") == LoopID("caf\u{e9}"))
    }

    @Test("loops whose hashes are the same are other loops, too, if their names have other bytes")
    func equalHashes() throws {
        // Of 2¹⁸ forms of one name, some have the same 31 bits.
        var known: [UInt32: LoopID] = [:]
        var pairs = 0
        for form: UInt32 in 0..<1 << 18 {
            let name = (0..<18).reduce(into: "") { $0 += form >> $1 & 1 == 0 ? "\u{e9}" : "e\u{301}" }
            let loop = try #require(LoopID(name))
            if let other = known.updateValue(loop, forKey: loop.hash) {
                pairs += 1
                #expect(loop != other && loop == LoopID(name))
                #expect(loop.name == other.name && loop.hash == other.hash)
            }
        }
        #expect(pairs > 0)
    }

    @Test("effects are in the order of their loops' bytes")
    func orderOfEquivalentNames() throws {
        let whole = EffectID(loop: try #require(LoopID("\u{e9}")), sequence: 1, index: 0)
        let parts = EffectID(loop: try #require(LoopID("e\u{301}")), sequence: 9, index: 0)
        #expect(parts < whole && !(whole < parts))
    }

    @Test("an attempt reads loop/sequence/index@epoch.number")
    func description() {
        #expect("\(Examples.attempt(6, index: 1, epoch: 3, number: 4))" == "main/6/1@3.4")
    }

    @Test("effects come in the order they were asked for")
    func effectOrder() {
        let first = EffectID(loop: .main, sequence: 2, index: 9)
        let second = EffectID(loop: .main, sequence: 10, index: 0)
        let third = EffectID(loop: .main, sequence: 10, index: 1)
        #expect([third, second, first].sorted() == [first, second, third])
    }

    @Test("an attempt after an operator's retry counts from there")
    func retriedAttempt() {
        let retried = Examples.attempt(7, index: 0, epoch: 1, number: 1 << 20 | 1)
        #expect("\(retried)" == "main/7/0@1.1 (retry 1)")
        #expect("\(Attempt(epoch: 9, number: 3 << 20 | 12))" == "9.12 (retry 3)")
        #expect("\(Attempt(epoch: 9, number: 1 << 20 - 1))" == "9.\(1 << 20 - 1)")
    }

    @Test("a later attempt is greater: first by epoch, then by number")
    func attemptOrder() {
        #expect(Attempt(epoch: 2, number: 9) < Attempt(epoch: 3, number: 1))
        #expect(Attempt(epoch: 3, number: 1) < Attempt(epoch: 3, number: 2))
    }

    @Test("a random name is read as it is printed")
    func randomNames() {
        var generator = SeededGenerator(state: 1)
        for _ in 0..<100 {
            let id = JournalID.random(using: &generator)
            #expect(JournalID("\(id)") == id)
        }
        #expect("\(JournalID(high: 1, low: 0xF))" == "0000000000000001000000000000000f")
        #expect(JournalID("0000000000000001000000000000000") == nil)
        #expect(JournalID("0000000000000001000000000000000F") == nil)
        #expect(JournalID("0000000000000001000000000000000fa") == nil)
    }

    /// A worker's list may name whatever attempts it likes; in a set they must not all stand in one place.
    @Test("names that a peer chooses do not fall together in sets")
    func hashes() {
        let attempts = (0..<1000 as Range<UInt32>).map {
            AttemptID(effect: Examples.fresh.effect, attempt: Attempt(epoch: 1, number: $0))
        }
        #expect(Set(attempts.map { $0._rawHashValue(seed: 0) }).count > 990)
        #expect(Set(attempts.map(\.hashValue)).count > 990)
        // Sums of their numbers are equal, modulo 2⁶⁴, as of sequence + 2³² sequence + index.
        let effects = (0..<1000 as Range<UInt32>).map {
            EffectID(loop: .main, sequence: UInt64($0) &* 0xFFFF_FFFF, index: $0)
        }
        #expect(Set(effects.map { $0._rawHashValue(seed: 0) }).count > 990)
        #expect(Set(effects.map(\.hashValue)).count > 990)
    }

    @Test("a payload prints no byte of its content")
    func payloadDescription() {
        let payload = Payload(kind: PayloadKind(type: "Greeter.Event"), bytes: Array("secret".utf8))
        #expect("\(payload)" == "Greeter.Event (application/json, 6 bytes)")
    }

    @Test("misuse is told in a sentence")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            let report = ReportID(attempt: Examples.fresh, number: 0)
            _ = AnyMessage.coordinator(Envelope(epoch: 1, session: 1, message: .ack([report]))).encoded
        }
        await #expect(processExitsWith: .failure) {
            let report = EventReport(id: ReportID(attempt: Examples.fresh, number: 1), final: false, event: nil)
            let message = WorkerMessage.events(creditTotal: 1, [report])
            _ = AnyMessage.worker(Envelope(epoch: 1, session: 1, message: message)).encoded
        }
    }
}
