import Foundation

/// Writes well-formed CBOR as JSON.
struct CBORTextWriter {
    private let bytes: UnsafePointer<UInt8>
    private let end: Int
    private var at = 0
    private var output = OutputBytes()
    /// Reads dates and decimals.
    private lazy var machine = DecodingMachine()

    /// The text of bytes that are one data item.
    static func text(of buffer: UnsafeRawBufferPointer) -> String {
        guard let base = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return "" }
        var writer = CBORTextWriter(bytes: base, end: buffer.count)
        defer { writer.output.deallocate() }
        writer.value()
        return String(decoding: writer.output.content, as: UTF8.self)
    }

    private init(bytes: UnsafePointer<UInt8>, end: Int) {
        self.bytes = bytes
        self.end = end
    }

    private mutating func value() {
        var open = 0
        // A loop, because tags may be many.
        while let head = head() {
            guard head.major == .tag else {
                plain(head)
                break
            }
            if tagged(head.argument) { break }
            guard head.argument != CBORTag.none.number else { continue }
            output.append("{\"$tag\":")
            output.append(integer: head.argument)
            output.append(",\"$value\":")
            open += 1
        }
        for _ in 0..<open { output.append(UInt8(ascii: "}")) }
    }

    private mutating func head() -> CBORHead? { CBORHead(bytes, &at, end: end) }

    /// A data item without a tag, whose head was read.
    private mutating func plain(_ head: CBORHead) {
        switch head.major {
        case .unsigned: output.append(integer: head.argument)
        case .negative: output.append(integer: ~Int128(head.argument))
        case .bytes: output.appendText(Data(string(head)).base64EncodedString())
        case .text: output.appendText(String(decoding: string(head), as: UTF8.self))
        case .array: container(head, "[", "]") { $0.value() }
        case .map:
            container(head, "{", "}") { writer in
                writer.key()
                writer.output.append(UInt8(ascii: ":"))
                writer.value()
            }
        case .simple: simple(head)
        case .tag: break
        }
    }

    private mutating func container(
        _ head: CBORHead, _ opening: StaticString, _ closing: StaticString, _ item: (inout CBORTextWriter) -> Void
    ) {
        output.append(opening)
        var count: UInt64 = 0
        while goesOn(count, of: head) {
            if count > 0 { output.append(UInt8(ascii: ",")) }
            item(&self)
            count += 1
        }
        output.append(closing)
    }

    private mutating func goesOn(_ count: UInt64, of head: CBORHead) -> Bool {
        guard at < end else { return false }
        guard head.information == CBORHead.Information.indefinite else { return count < head.argument }
        guard bytes[at] == CBORHead.stop else { return true }
        at += 1
        return false
    }

    /// The bytes of a string, whose head was read.
    private mutating func string(_ head: CBORHead) -> [UInt8] {
        guard head.information == CBORHead.Information.indefinite else { return piece(head) }
        var whole: [UInt8] = []
        while goesOn(0, of: head), let next = self.head() { whole += piece(next) }
        return whole
    }

    private mutating func piece(_ head: CBORHead) -> [UInt8] {
        let length = min(Int(clamping: head.argument), end - at)
        at += length
        return Array(UnsafeBufferPointer(start: bytes + at - length, count: length))
    }

    private mutating func simple(_ head: CBORHead) {
        switch head.information {
        case CBORHead.Information.twoBytes: number(CBORFloat.double(half: UInt16(truncatingIfNeeded: head.argument)))
        case CBORHead.Information.fourBytes: number(CBORFloat.double(single: UInt32(truncatingIfNeeded: head.argument)))
        case CBORHead.Information.eightBytes: number(head.argument)
        case CBORHead.false & 0x1f: output.append("false")
        case CBORHead.true & 0x1f: output.append("true")
        case CBORHead.null & 0x1f, CBORHead.undefined & 0x1f: output.append("null")
        default: output.appendText("simple(\(head.argument))")
        }
    }

    private mutating func number(_ bits: UInt64) {
        let number = Double(bitPattern: bits)
        if number.isNaN { return output.append("\"NaN\"") }
        guard number.isFinite else { return output.append(number < 0 ? "\"-Infinity\"" : "\"Infinity\"") }
        output.append(number: number)
    }

    // MARK: - Keys

    private mutating func key() {
        let start = at
        guard let head = head() else { return }
        switch head.major {
        case .text: output.appendText(String(decoding: string(head), as: UTF8.self))
        case .unsigned: output.appendText("\(head.argument)")
        case .negative: output.appendText("\(~Int128(head.argument))")
        case .bytes: output.appendText(Data(string(head)).base64EncodedString())
        case .simple, .array, .map, .tag:
            // As JSON in a text, nested keys would double in length at each level.
            at = start
            skip()
            let item = UnsafeBufferPointer(start: bytes + start, count: at - start)
            output.appendText(Data(item).base64EncodedString())
        }
    }

    /// Steps over a data item.
    private mutating func skip() {
        var next = head()
        while let head = next, head.major == .tag { next = self.head() }
        guard let head = next else { return }
        switch head.major {
        case .bytes, .text: _ = string(head)
        case .array, .map:
            var count: UInt64 = 0
            while goesOn(count, of: head) {
                skip()
                if head.major == .map { skip() }
                count += 1
            }
        case .unsigned, .negative, .simple, .tag: break
        }
    }

    // MARK: - Tags

    /// Writes the content of a supported tag; otherwise does not move.
    private mutating func tagged(_ tag: UInt64) -> Bool {
        let start = at
        guard let head = head() else { return false }
        if let text = text(of: CBORTag(number: tag), head, at: start) {
            text.isNumber ? output.appendASCII(text.text) : output.appendText(text.text)
            return true
        }
        at = start
        return false
    }

    private mutating func text(
        of tag: CBORTag, _ head: CBORHead, at start: Int
    ) -> (text: String, isNumber: Bool)? {
        switch (tag, head.major) {
        case (.dateText, .text), (.uri, .text): return (String(decoding: string(head), as: UTF8.self), false)
        case (.positive, .bytes), (.negative, .bytes): return bignum(string(head), isNegative: tag == .negative)
        case (.uuid, .bytes):
            let bytes = string(head)
            guard bytes.count == 16 else { return nil }
            return (bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString, false)
        case (.epoch, .unsigned), (.epoch, .negative), (.epoch, .simple), (.extendedTime, .map):
            let date: Date? = value(of: tag, from: start) { try $0.binaryDate(DecodingMachine.root) }
            return date.flatMap { CBORDate.rfc3339($0) }.map { ($0, false) }
        case (.decimal, .array):
            let decimal: Decimal? = value(of: tag, from: start) { try $0.binaryDecimal(DecodingMachine.root) }
            return decimal.map { ($0.description, true) }
        default: return nil
        }
    }

    private func bignum(_ bytes: [UInt8], isNegative: Bool) -> (text: String, isNumber: Bool) {
        let digits = bytes.drop { $0 == 0 }
        guard digits.count < 16 else {
            let text = digits.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return (isNegative ? "-1-0x\(text)" : "0x\(text)", false)
        }
        let magnitude = digits.reduce(0 as Int128) { $0 << 8 | Int128($1) }
        return ("\(isNegative ? ~magnitude : magnitude)", true)
    }

    /// What the coding reads of a tag and its content, which begins at `start`; steps behind it.
    private mutating func value<Value>(
        of tag: CBORTag, from start: Int, _ read: (DecodingMachine) throws -> Value
    ) -> Value? {
        at = start
        skip()
        // All that are understood are short.
        guard at - start <= 64 else { return nil }
        var item = CBORTree.item { $0.appendHead(.tag, tag.number) }
        item += UnsafeBufferPointer(start: bytes + start, count: at - start)
        return item.withUnsafeBytes { buffer in
            defer { machine.end() }
            do {
                try machine.begin(buffer, isBinary: true)
                return try read(machine)
            } catch {
                return nil
            }
        }
    }
}
