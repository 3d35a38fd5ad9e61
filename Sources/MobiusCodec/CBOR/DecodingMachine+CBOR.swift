import Foundation

// The values of CBOR's nodes.
extension DecodingMachine {
    // MARK: - Numbers

    func binaryInteger<Integer: FixedWidthInteger>(_ place: Int, as type: Integer.Type = Integer.self) throws -> Integer
    {
        let node = node(place)
        let integer: Integer?
        switch node.kind {
        case .unsigned: integer = Integer(exactly: node.argument)
        case .negative:
            integer = Int64(exactly: node.argument).flatMap { Integer(exactly: ~$0) } ?? wideInteger(of: node)
        case .float: integer = Integer(exactly: Double(bitPattern: node.argument))
        default:
            guard node.isInteger else { throw mismatch(Integer.self, at: place) }
            integer = wideInteger(of: node)
        }
        guard let integer else { throw unfit(Integer.self, at: place) }
        return integer
    }

    func binaryDouble(_ place: Int) throws -> Double {
        let node = node(place)
        switch node.kind {
        case .float: return Double(bitPattern: node.argument)
        case .unsigned: return Double(node.argument)
        default:
            guard let double: Double = try realNumber(node, at: place) else {
                throw unfit(Double.self, at: place)
            }
            return double
        }
    }

    func binaryFloat(_ place: Int) throws -> Float {
        let node = node(place)
        guard node.kind == .float else {
            guard let float: Float = try realNumber(node, at: place) else {
                throw unfit(Float.self, at: place)
            }
            return float
        }
        let double = Double(bitPattern: node.argument)
        if let bits = CBORFloat.single(double) { return Float(bitPattern: bits) }
        let float = Float(double)
        // What is too large or too small is an error, as in JSON.
        guard float.isNaN || float.isFinite && !float.isZero else {
            throw unfit(Float.self, at: place)
        }
        return float
    }

    /// An integer as the nearest floating-point number.
    private func realNumber<Number: BinaryFloatingPoint>(_ node: Node, at place: Int) throws -> Number? {
        guard node.isInteger else { throw mismatch(Number.self, at: place) }
        guard let wide = wide(node) else { return nil }
        // Rounded once, when it is the whole number.
        let (larger, overflows) = wide.magnitude.addingReportingOverflow(1)
        let number = !wide.isNegative || overflows ? Number(wide.magnitude) : Number(larger)
        guard number.isFinite else { return nil }
        return wide.isNegative ? -number : number
    }

    private func wideInteger<Integer: FixedWidthInteger>(of node: Node) -> Integer? {
        guard let wide = wide(node) else { return nil }
        guard wide.isNegative else { return Integer(exactly: wide.magnitude) }
        return Int128(exactly: wide.magnitude).flatMap { Integer(exactly: ~$0) }
    }

    /// An integer of up to 128 bits: `magnitude`, or `-1 - magnitude`; `nil` when it is longer, or the node is none.
    func wide(_ node: Node) -> (magnitude: UInt128, isNegative: Bool)? {
        guard node.isInteger else { return nil }
        if node.kind == .unsigned || node.kind == .negative {
            return (UInt128(node.argument), node.kind == .negative)
        }
        var magnitude: UInt128 = 0
        let isShort = eachPiece(of: node) { piece in
            for byte in piece {
                guard magnitude >> 120 == 0 else { return false }
                magnitude = magnitude << 8 | UInt128(byte)
            }
            return true
        }
        return isShort ? (magnitude, node.tag == .negative) : nil
    }

    // MARK: - Strings

    /// The pieces of a string, as long as the visitor wants more.
    @discardableResult
    func eachPiece(of node: Node, _ visit: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        let bytes = text(of: node)
        guard node.kind == .chunkedText || node.kind == .chunkedBytes else { return visit(bytes) }
        guard let base = bytes.baseAddress else { return true }
        var at = 0
        while let head = CBORHead(base, &at, end: bytes.count) {
            let length = Int(head.argument)  // checked when it was scanned
            guard visit(UnsafeBufferPointer(start: base + at, count: length)) else { return false }
            at += length
        }
        return true
    }

    /// The text of a node that is one, or `nil`; every piece of a text must be UTF-8.
    func binaryString(of node: Node) -> String? {
        switch node.kind {
        case .text: return JSONText.unescaped(text(of: node))
        case .chunkedText:
            var whole = ""
            let isValid = eachPiece(of: node) { piece in
                guard let text = JSONText.unescaped(piece) else { return false }
                whole += text
                return true
            }
            return isValid ? whole : nil
        default: return nil
        }
    }

    func bytes(_ place: Int) throws -> Data {
        let node = node(place)
        guard node.kind == .bytes || node.kind == .chunkedBytes, !node.isInteger else {
            throw mismatch(Data.self, at: place)
        }
        var data = Data()
        eachPiece(of: node) { piece in
            data.append(piece)
            return true
        }
        return data
    }

    func binaryUUID(_ place: Int) throws -> UUID {
        let node = node(place)
        switch node.kind {
        case .text, .chunkedText:
            guard let uuid = UUID(uuidString: try string(place)) else {
                throw corrupted("its text is no UUID", at: place)
            }
            return uuid
        default:
            let data = try bytes(place)
            guard data.count == 16 else { throw corrupted("a UUID has 16 bytes", at: place) }
            return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        }
    }

    // MARK: - Keys

    /// Whether the member that is likely to be asked for next has an integer as its key.
    @inline(__always)
    func hasNumber(before view: KeyedView) -> Bool {
        guard view.cursor < Int(node(view.object).next) else { return false }
        let kind = node(view.cursor).kind
        return kind == .unsigned || kind == .negative
    }

    /// The value of a key by its integer, which may have been written in place of its name; if not, by its name.
    @inline(never)
    func findNumber(_ key: some CodingKey, for view: KeyedView) -> Int? {
        key.intValue.flatMap { find($0, for: view) } ?? find(key.stringValue, for: view)
    }

    /// An integer that a key may be.
    func number(of key: Node) -> Int? {
        switch key.kind {
        case .unsigned: Int(exactly: key.argument)
        case .negative: Int(exactly: key.argument).map { ~$0 }
        default: nil
        }
    }

    /// A key as text, which an integer has as well.
    func name(of key: Node) -> String? {
        string(of: key) ?? number(of: key).map { "\($0)" }
    }

    func isValidBinaryKey(_ key: Node) -> Bool {
        switch key.kind {
        case .text: JSONText.isUTF8(text(of: key))
        case .chunkedText: binaryString(of: key) != nil
        default: true
        }
    }
}

extension Node {
    /// Whether it is an integer, which may be written as bytes.
    var isInteger: Bool {
        switch kind {
        case .unsigned, .negative: true
        case .bytes, .chunkedBytes: tag == .positive || tag == .negative
        default: false
        }
    }
}
