/// Many texts by number, each of which is stored and hashed once.
struct TextTable: Sendable {
    private var texts = TextArena()
    private var index = AddressIndex()

    var count: Int { texts.count }

    subscript(_ number: Int32) -> String { texts[Int(number)] }

    /// The number of `text`, a new one for a new text.
    mutating func number(of text: String) -> Int32 {
        let hash = AddressIndex.hash(text)
        return find(text, hash) ?? add(text, hash)
    }

    /// The numbers of `texts`, new ones for new texts: faster than one by one.
    mutating func numbers(of texts: [String]) -> [Int32] {
        // Small loops, so that the memory accesses of all look-ups overlap.
        let hashes = texts.map(AddressIndex.hash)
        var guesses = hashes.map { index.candidate($0, from: index.start($0))?.number ?? -1 }
        for position in guesses.indices where guesses[position] >= 0 {
            let isLikely = self.texts.length(Int(guesses[position])) == texts[position].utf8.count
            if isLikely == false { guesses[position] = -1 }
        }
        for (position, text) in texts.enumerated() {
            let guess = guesses[position]
            if guess >= 0, self.texts.isEqual(Int(guess), to: text) { continue }
            let hash = hashes[position]
            guesses[position] = find(text, hash) ?? add(text, hash)
        }
        return guesses
    }

    /// The number of `text`, if it is known.
    func known(_ text: String) -> Int32? { find(text, AddressIndex.hash(text)) }

    /// Adds a text that is found by its number only, because it may be there already.
    mutating func addAgain(_ text: String) -> Int32 {
        texts.append(text)
        return Int32(texts.count - 1)
    }

    /// Whether a text begins with `prefix`, without making a string of it.
    func hasPrefix(_ number: Int32, _ prefix: String) -> Bool { texts.hasPrefix(Int(number), prefix) }

    func bytes(_ number: Int32) -> ArraySlice<UInt8> { texts.bytes(Int(number)) }

    /// Compares two texts by their bytes.
    func precedes(_ one: Int32, _ other: Int32) -> Bool {
        bytes(one).lexicographicallyPrecedes(bytes(other))
    }

    private func find(_ text: String, _ hash: UInt32) -> Int32? {
        var place = index.start(hash)
        while let (number, next) = index.candidate(hash, from: place) {
            if texts.isEqual(Int(number), to: text) { return number }
            place = next
        }
        return nil
    }

    private mutating func add(_ text: String, _ hash: UInt32) -> Int32 {
        let number = addAgain(text)
        index.insert(number, hash: hash)
        return number
    }
}

extension TextTable: Codable, Equatable {
    init(from decoder: any Decoder) throws {
        texts = try TextArena(from: decoder)
        for number in 0..<Int32(texts.count) {
            let hash = AddressIndex.hash(self[number])
            if find(self[number], hash) == nil { index.insert(number, hash: hash) }
        }
    }

    func encode(to encoder: any Encoder) throws { try texts.encode(to: encoder) }

    /// Compares everything but the index, which differs between processes.
    static func == (one: TextTable, other: TextTable) -> Bool { one.texts == other.texts }
}

/// Many texts, one after the other in one array.
///
/// A hundred thousand strings would be as many allocations, with a cache miss per comparison and a reference count per
/// copy of the model; this type makes two allocations.
private struct TextArena: Codable, Sendable, Equatable {
    @Packed private var bytes: [UInt8] = []
    /// The end of each text.
    @Packed private var ends: [Int] = []

    var count: Int { ends.count }

    subscript(_ number: Int) -> String { String(decoding: bytes(number), as: UTF8.self) }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        ends.append(bytes.count)
    }

    func bytes(_ number: Int) -> ArraySlice<UInt8> { bytes[range(number)] }

    /// Returns the number of bytes of a text.
    func length(_ number: Int) -> Int { range(number).count }

    func isEqual(_ number: Int, to text: String) -> Bool {
        let range = range(number)
        return range.count == text.utf8.count && matches(text, at: range.lowerBound)
    }

    func hasPrefix(_ number: Int, _ text: String) -> Bool {
        let range = range(number)
        return range.count >= text.utf8.count && matches(text, at: range.lowerBound)
    }

    private func range(_ number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

    /// Whether `text` is at `start`, where there is room for it.
    private func matches(_ text: String, at start: Int) -> Bool {
        let isEqual = text.utf8.withContiguousStorageIfAvailable { text in
            bytes.withUnsafeBytes { Self.isEqual(UnsafeRawBufferPointer(text), $0[start..<(start + text.count)]) }
        }
        return isEqual ?? text.utf8.elementsEqual(bytes[start..<(start + text.utf8.count)])
    }

    /// Eight bytes at a time; both have the same length.
    private static func isEqual(_ one: UnsafeRawBufferPointer, _ other: Slice<UnsafeRawBufferPointer>) -> Bool {
        let other = UnsafeRawBufferPointer(rebasing: other)
        var position = 0
        while position + 8 <= one.count {
            let difference =
                one.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                ^ other.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if difference != 0 { return false }
            position += 8
        }
        return one[position...].elementsEqual(other[position...])
    }
}

/// Finds numbers by hash: what a dictionary does, but in steps that a caller can run for many keys at a time.
///
/// With 100,000 addresses nearly every look-up misses the processor's caches. A dictionary waits for each miss in turn;
/// a loop of nothing but look-ups waits for ten at once.
private struct AddressIndex: Sendable {
    private struct Slot: Sendable {
        var hash: UInt32 = 0
        /// -1 in an empty slot.
        var number: Int32 = -1
    }

    private var slots = [Slot](repeating: Slot(), count: 16)
    private var count = 0
    private var mask: Int { slots.count - 1 }

    /// Returns the hash by which a key is found; it differs from process to process.
    static func hash(_ key: String) -> UInt32 { UInt32(truncatingIfNeeded: key.hashValue) }

    /// The place to begin at.
    func start(_ hash: UInt32) -> Int { Int(hash) & mask }

    /// The next number with this hash from `place` on, and where to continue if it is another key's; `nil` at the end.
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
