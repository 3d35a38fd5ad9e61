/// Packs columns of numbers and texts into bytes, and those into one base64 string.
///
/// A model of a hundred thousand rows would cost a JSON coder hundreds of megabytes as containers, and a few as one string.
struct PackedWriter {
    private(set) var bytes: [UInt8] = []

    /// Seven bits a byte: small numbers are short.
    mutating func put(_ number: some BinaryInteger) {
        let wide = Int64(number)
        var rest = UInt64(bitPattern: wide << 1 ^ wide >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Eight bytes, for numbers that are never small.
    mutating func put(wide number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func put(_ text: String) {
        put(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func put(_ text: String?) {
        put(text == nil ? 0 : 1)
        if let text { put(text) }
    }

    /// The count, then each element as `body` puts it.
    mutating func put<Element>(_ elements: some Collection<Element>, _ body: (Element, inout PackedWriter) -> Void) {
        put(elements.count)
        for element in elements { body(element, &self) }
    }
}

/// What packs itself into bytes and is one string to a `Codable` container.
protocol PackedCodable: Codable {
    init(from reader: inout PackedReader) throws(PackedReader.Damaged)
    func pack(into writer: inout PackedWriter)
}

extension PackedCodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            guard let bytes = Base64.decode(text) else { throw PackedReader.Damaged() }
            var reader = PackedReader(bytes)
            try self.init(from: &reader)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "the packed columns are damaged")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var writer = PackedWriter()
        pack(into: &writer)
        var container = encoder.singleValueContainer()
        try container.encode(Base64.encode(writer.bytes))
    }
}
