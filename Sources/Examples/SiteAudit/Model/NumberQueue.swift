/// Numbers, first in, first out, at constant cost.
struct NumberQueue: Sendable, Equatable {
    private var numbers: [Int32] = []
    private var head = 0

    var isEmpty: Bool { head == numbers.count }

    mutating func append(_ number: Int32) { numbers.append(number) }

    mutating func popFirst() -> Int32? {
        guard head < numbers.count else { return nil }
        defer { shrink() }
        head += 1
        return numbers[head - 1]
    }

    /// Moves the rest to the front once the gap is the larger half: each number is moved once at most on average.
    private mutating func shrink() {
        guard head > 32, head * 2 > numbers.count else { return }
        numbers.removeFirst(head)
        head = 0
    }

    /// Equal when the same numbers will come out.
    static func == (one: NumberQueue, other: NumberQueue) -> Bool {
        one.numbers[one.head...].elementsEqual(other.numbers[other.head...])
    }

    init() {}

    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        numbers = try reader.array { reader throws(PackedReader.Damaged) in try reader.number() }
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(numbers[head...]) { $1.put($0) }
    }
}
