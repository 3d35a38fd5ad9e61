package import MobiusCodec
package import MobiusWire

/// The coding of one type, bound once: values to payloads and back.
package struct TypedCoding<Value: Codable & Sendable>: Sendable {
    /// What the payloads of this coding are.
    package let kind: PayloadKind
    private let coding: any PayloadCoding<Value>

    /// Binds a coding to the type.
    package init(_ coding: any PayloadCoding<Value>) {
        kind = PayloadKind(type: String(reflecting: Value.self), contentType: coding.contentType)
        self.coding = coding
    }

    /// The default coding: JSON.
    package static func json(sortedKeys: Bool = false) -> Self {
        Self(FoundationJSONCoding(Value.self, sortedKeys: sortedKeys))
    }

    /// Makes a payload of a value.
    package func encode(_ value: Value) throws(CodingFailure) -> Payload {
        var bytes: [UInt8] = []
        var scratch = CodingScratch()
        try coding.encode(value, into: &bytes, scratch: &scratch)
        return Payload(kind: kind, bytes: bytes)
    }

    /// Makes a value of a payload.
    ///
    /// - Throws: a `CodingFailure` for another coding or type's payload, and for bytes that are no value.
    package func decode(_ payload: Payload) throws(CodingFailure) -> Value {
        guard payload.kind.contentType == kind.contentType else {
            throw CodingFailure(
                .decoding, type: kind.type,
                reason: "it is \(payload.kind.contentType), and this program reads \(kind.contentType)")
        }
        guard payload.kind.type == kind.type, payload.kind.version == kind.version else {
            throw CodingFailure(
                .decoding, type: kind.type, reason: "it is \(payload.kind.type), version \(payload.kind.version)")
        }
        var scratch = CodingScratch()
        return try coding.decode(payload.bytes.span.bytes, scratch: &scratch)
    }
}
