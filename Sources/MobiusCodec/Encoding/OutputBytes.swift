/// Bytes that are written, in memory that is kept for the next value.
struct OutputBytes {
    var count = 0
    private var capacity = 256
    private(set) var base: UnsafeMutablePointer<UInt8>

    init() {
        base = .allocate(capacity: capacity)
    }

    func deallocate() {
        base.deallocate()
    }

    var content: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

    /// Forgets the bytes; much memory is given back.
    mutating func removeAll() {
        count = 0
        guard capacity > 1 << 20 else { return }
        base.deallocate()
        capacity = 256
        base = .allocate(capacity: capacity)
    }

    /// Forgets the bytes from a place on.
    mutating func truncate(to count: Int) {
        self.count = count
    }

    /// Makes room for more bytes.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let larger = max(capacity * 2, count + more)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        memory.update(from: base, count: count)
        base.deallocate()
        base = memory
        capacity = larger
    }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).update(from: start, count: bytes.count)
        count &+= bytes.count
    }

    @inline(__always)
    mutating func append(_ name: borrowing NameBytes) {
        reserve(NameBytes.capacity)
        name.write(to: base + count)
        count &+= name.count
    }

    mutating func appendNull() {
        append("null")
    }

    mutating func append(_ flag: Bool) {
        append(flag ? "true" : "false")
    }

    /// ASCII that needs no escapes.
    mutating func appendASCII(_ text: consuming String) {
        text.withUTF8 { append($0) }
    }

    /// An integer, which has a label because a byte is one too.
    mutating func append(integer: some FixedWidthInteger) {
        if let small = Int64(exactly: integer) {
            appendDigits(small.magnitude, isNegative: small < 0)
        } else {
            appendASCII(integer.description)
        }
    }

    /// A finite number in the fewest digits that read back the same.
    mutating func append<Number: BinaryFloatingPoint & CustomStringConvertible>(number: Number) {
        // Small integers need no search for digits; large ones, and the negative zero, are not written as integers are.
        if number.magnitude < 0x1p23, let integer = Int32(exactly: number), integer != 0 {
            return append(integer: integer)
        }
        var text = number.description
        text.withUTF8 { digits in
            let isWhole =
                digits.count > 2 && digits[digits.count - 2] == UInt8(ascii: ".")
                && digits[digits.count - 1] == UInt8(ascii: "0")
            append(UnsafeBufferPointer(rebasing: isWhole ? digits.dropLast(2) : digits[...]))
        }
    }

    /// Two digits at a time, from the last on, in room behind the end; then they are moved to the end.
    private mutating func appendDigits(_ magnitude: UInt64, isNegative: Bool) {
        reserve(2 * Self.mostDigits + 24)
        let place = UnsafeMutableRawPointer(base + count)
        let end = place + 2 * Self.mostDigits
        var first = end
        var rest = magnitude
        while rest >= 10 {
            let (hundreds, two) = rest.quotientAndRemainder(dividingBy: 100)
            first -= 2
            first.storeBytes(of: Self.twoDigits(two), as: UInt16.self)
            rest = hundreds
        }
        if rest > 0 || first == end {
            first -= 1
            first.storeBytes(of: UInt8(truncatingIfNeeded: rest) &+ UInt8(ascii: "0"), as: UInt8.self)
        }
        if isNegative {
            first -= 1
            first.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
        }
        // So many bytes that it takes three words, whatever of them is behind the last digit.
        place.copyMemory(from: first, byteCount: 24)
        count &+= end - first
    }

    /// Of 64 bits with a sign.
    private static var mostDigits: Int { 20 }

    /// A number below 100, as its digits lie in memory.
    @inline(__always)
    private static func twoDigits(_ number: UInt64) -> UInt16 {
        let digits: StaticString = """
            0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
            5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
            """
        return UnsafeRawPointer(digits.utf8Start).loadUnaligned(
            fromByteOffset: 2 * Int(truncatingIfNeeded: number), as: UInt16.self)
    }

    /// A text: in quotation marks, with the escapes that Foundation's encoder writes.
    mutating func appendText(_ text: String) {
        text.withPlacedUTF8 { appendText($0) }
    }

    /// Eight bytes at a time are looked at and copied, with one that needs an escape and those behind it, which are written over.
    ///
    /// The room for ten bytes more than the text has is for the quotation marks and for the last word, which may be short.
    private mutating func appendText(_ text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count + 10)
        base[count] = UInt8(ascii: "\"")
        count &+= 1
        var at = 0
        while at < text.count {
            let start = text.baseAddress.unsafelyUnwrapped + at
            let rest = text.count &- at
            let word: UInt64
            let plain: Int
            if rest >= 8 {
                word = UInt64(littleEndian: UnsafeRawPointer(start).loadUnaligned(as: UInt64.self))
                plain = JSONText.plainBytes(in: word)
            } else {
                word = JSONText.fewBytes(start, rest)
                plain = min(rest, JSONText.plainBytes(in: word, count: rest))
            }
            UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
            at &+= plain
            count &+= plain
            if plain < 8, plain < rest { appendEscaped(text, &at) }
        }
        base[count] = UInt8(ascii: "\"")
        count &+= 1
    }

    /// Leaves room for the rest of the text as it is.
    @inline(never)
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) {
        appendEscaped(text[at])
        at += 1
        reserve(text.count - at + 10)
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0a: append("\\n")
        case 0x0c: append("\\f")
        case 0x0d: append("\\r")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0xf
            append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
        }
    }
}
