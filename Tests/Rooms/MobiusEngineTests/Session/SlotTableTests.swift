import MobiusEngine
import MobiusWire
import Testing

/// Beside a dictionary, which finds entries by hashing alone.
@Suite struct SlotTableTests {
    struct Word: SlotValue {
        static let nothing = Word(text: "nothing")
        var text: String
    }

    private typealias Table = SlotTable<EffectID, Word>

    private func effect(_ sequence: UInt64, _ index: UInt32 = 0, of loop: String = "main") -> EffectID {
        EffectID(loop: LoopID(loop)!, sequence: sequence, index: index)
    }

    @Test func `a slot finds its entry until that is gone, and never the next one of its place`() {
        var table = Table()
        let slot = table.insert(Word(text: "one"), for: effect(1))
        let found = table.slot(of: effect(1))
        #expect(found == slot)
        table[slot].text = "first"
        #expect(table[effect(1)]?.text == "first")
        #expect(table.key(of: slot) == effect(1))
        let removed = table.removeValue(forKey: effect(1))
        #expect(removed?.text == "first")
        #expect(!table.contains(slot))
        let gone = table.slot(of: effect(1))
        #expect(gone == nil)
        let next = table.insert(Word(text: "two"), for: effect(2))
        #expect(table.contains(next))
        #expect(!table.contains(slot))
    }

    @Test func `an entry made for a key that has one takes its place`() {
        var table = Table()
        let before = table.insert(Word(text: "before"), for: effect(1))
        let after = table.insert(Word(text: "after"), for: effect(1))
        #expect(!table.contains(before))
        #expect(table[after].text == "after")
        #expect(table.count == 1)
        #expect(table.keys == [effect(1)])
    }

    @Test func `an entry can be filled in where it is, each time like a new one`() {
        var table = Table()
        for text in ["before", "after"] {
            let slot = table.claim(for: effect(1))
            #expect(table[slot] == .nothing)
            table[slot].text = text
        }
        #expect(table[effect(1)]?.text == "after")
        #expect(table.count == 1)
        table.removeValue(forKey: effect(1))
        let slot = table.claim(forNew: effect(2))
        #expect(table[slot] == .nothing)
        #expect(table.keys == [effect(2)])
    }

    @Test func `neighbours are found in both directions, also where some of them are gone`() {
        var table = Table()
        for sequence in 0..<20 as Range<UInt64> { table.insert(Word(text: "\(sequence)"), for: effect(sequence)) }
        for sequence in [3, 4, 11] as [UInt64] { table.removeValue(forKey: effect(sequence)) }
        for sequence in Array(0..<20 as Range<UInt64>) + (0..<20).reversed() {
            let slot = table.slot(of: effect(sequence))
            #expect(slot.map { table[$0].text } == ([3, 4, 11].contains(sequence) ? nil : "\(sequence)"))
            #expect(table.find(effect(sequence)) == slot)
        }
    }

    @Test func `setting nil removes, and changing in place does not`() throws {
        var table = Table()
        table[effect(1)] = Word(text: "a")
        let found = table.slot(of: effect(1))
        let slot = try #require(found)
        table[effect(1)]?.text += "b"
        #expect(table[slot].text == "ab")
        table[effect(2)]?.text = "nobody"
        #expect(table.count == 1)
        table[effect(1)] = nil
        #expect(table.count == 0)
        #expect(!table.contains(slot))
    }

    @Test func `it finds what a dictionary finds, whatever came and went`() {
        var random = SystemRandomNumberGenerator()
        var table = Table()
        var dictionary: [EffectID: Word] = [:]
        for step in 0..<20_000 {
            // Few enough that they come again, and in rows, which lie side by side in the index.
            let id = effect(
                .random(in: 0..<200, using: &random), .random(in: 0..<3, using: &random),
                of: Bool.random(using: &random) ? "main" : "a loop with a longer name")
            if Bool.random(using: &random) {
                let word = Word(text: "\(step)")
                table.insert(word, for: id)
                dictionary[id] = word
            } else {
                let (removed, expected) = (table.removeValue(forKey: id), dictionary.removeValue(forKey: id))
                #expect(removed == expected)
            }
            let asked = effect(.random(in: 0..<200, using: &random), 0)
            let slot = table.slot(of: asked)
            #expect(slot.map { table[$0] } == dictionary[asked])
            #expect(table.find(asked) == slot)
        }
        #expect(table.count == dictionary.count)
        #expect(Set(table.keys) == Set(dictionary.keys))
        for (id, word) in dictionary { #expect(table[id] == word) }
    }

    @Test func `equal entries make equal tables, whatever their slots are`() {
        var one = Table()
        var other = Table()
        one.insert(Word(text: "gone"), for: effect(9))
        one.removeValue(forKey: effect(9))
        for sequence in 1...3 { one.insert(Word(text: "\(sequence)"), for: effect(UInt64(sequence))) }
        for sequence in (1...3).reversed() { other.insert(Word(text: "\(sequence)"), for: effect(UInt64(sequence))) }
        #expect(one == other)
        other[effect(2)]?.text = "another"
        #expect(one != other)
    }

    @Test func `a recent set forgets its oldest members`() {
        var recent = RecentSet<EffectID>(limit: 10)
        for sequence in 1...25 { recent.insert(effect(UInt64(sequence))) }
        for sequence in 16...25 { #expect(recent.contains(effect(UInt64(sequence)))) }
        #expect(!recent.contains(effect(1)))
        let isNew = recent.insert(effect(25))
        #expect(!isNew)
        recent.add(effect(1))
        #expect(recent.contains(effect(1)))
        // One that is there is added without a look, and nothing else is lost for it but its place.
        recent.add(effect(25))
        for sequence in [1, 25] { #expect(recent.contains(effect(UInt64(sequence)))) }
        for sequence in 31...50 { recent.add(effect(UInt64(sequence))) }
        for sequence in [1, 25] { #expect(!recent.contains(effect(UInt64(sequence)))) }
    }
}
