/// Many texts, one after the other in one array, by number.
///
/// A hundred thousand strings would be as many allocations, with a cache miss per comparison and a reference count per
/// copy of the model; this type makes two allocations.
struct TextArena: Sendable, Equatable {
    private var bytes: [UInt8] = []
    /// Where each text ends.
    private var ends: [Int] = []

    var count: Int { ends.count }

    subscript(_ number: Int) -> String { String(decoding: bytes[range(number)], as: UTF8.self) }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        ends.append(bytes.count)
    }

    /// How many bytes a text has.
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
        while position < one.count {
            if one[position] != other[position] { return false }
            position += 1
        }
        return true
    }
}
