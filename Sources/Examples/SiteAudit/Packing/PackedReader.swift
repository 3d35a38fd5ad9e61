/// Reads what a ``PackedWriter`` wrote.
///
/// Total: any bytes give values or ``Damaged``.
struct PackedReader {
    /// The bytes are not what was written.
    struct Damaged: Error {}

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number<Number: BinaryInteger>(_ type: Number.Type = Number.self) throws(Damaged) -> Number {
        var rest: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard position < bytes.count, shift < 64 else { throw Damaged() }
            let byte = bytes[position]
            position += 1
            rest |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        let wide = Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
        guard let number = Number(exactly: wide) else { throw Damaged() }
        return number
    }

    mutating func wide() throws(Damaged) -> UInt64 {
        guard bytes.count - position >= 8 else { throw Damaged() }
        var number: UInt64 = 0
        for index in 0..<8 { number |= UInt64(bytes[position + index]) << UInt64(index * 8) }
        position += 8
        return number
    }

    mutating func text() throws(Damaged) -> String {
        let count = try number(Int.self)
        guard count >= 0, bytes.count - position >= count else { throw Damaged() }
        defer { position += count }
        return String(decoding: bytes[position..<(position + count)], as: UTF8.self)
    }

    mutating func optionalText() throws(Damaged) -> String? {
        try number(Int.self) == 0 ? nil : text()
    }

    mutating func array<Element>(_ body: (inout PackedReader) throws(Damaged) -> Element) throws(Damaged) -> [Element] {
        let count = try number(Int.self)
        // Each element took a byte at least, so a damaged count cannot ask for more memory than the bytes have.
        guard count >= 0, count <= bytes.count - position else { throw Damaged() }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }
}
