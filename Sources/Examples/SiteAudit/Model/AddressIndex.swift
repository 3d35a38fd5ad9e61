/// Finds numbers by hash: what a dictionary does, but in steps that a caller can run for many keys at a time.
///
/// With 100,000 addresses nearly every look-up misses the processor's caches. A dictionary waits for each miss in turn;
/// a loop of nothing but look-ups waits for ten at once.
struct AddressIndex: Sendable {
    private struct Slot: Sendable {
        var hash: UInt32 = 0
        /// -1 in an empty slot.
        var number: Int32 = -1
    }

    private var slots = [Slot](repeating: Slot(), count: 16)
    private var count = 0
    private var mask: Int { slots.count - 1 }

    /// What a key is found by.
    ///
    /// Differs from process to process, so it is never to be kept.
    static func hash(_ key: String) -> UInt32 {
        UInt32(truncatingIfNeeded: key.hashValue)
    }

    /// The place to begin at.
    func start(_ hash: UInt32) -> Int { Int(hash) & mask }

    /// The next number with this hash from `place` on, and where to go on if it is another key's; `nil` when there is none.
    func candidate(_ hash: UInt32, from place: Int) -> (number: Int32, next: Int)? {
        var place = place
        while slots[place].number >= 0 {
            let next = (place + 1) & mask
            if slots[place].hash == hash { return (slots[place].number, next) }
            place = next
        }
        return nil
    }

    /// Adds a number whose key is not there yet.
    mutating func insert(_ number: Int32, hash: UInt32) {
        if (count + 1) * 2 > slots.count { grow() }
        count += 1
        place(number, hash)
    }

    private mutating func place(_ number: Int32, _ hash: UInt32) {
        var place = start(hash)
        while slots[place].number >= 0 { place = (place + 1) & mask }
        slots[place] = Slot(hash: hash, number: number)
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: old.count * 2)
        for slot in old where slot.number >= 0 { place(slot.number, slot.hash) }
    }
}
