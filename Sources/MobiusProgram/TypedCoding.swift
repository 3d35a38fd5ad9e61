package import MobiusCodec
package import MobiusWire

/// The coding of one type, bound once: values to payloads and back.
///
/// A type that conforms to ``PayloadEvolution`` is written under its explicit name and newest version, and read in all
/// versions that it names; any other is version 1 of its type's full name.
package struct TypedCoding<Value: Codable & Sendable>: Sendable {
    /// What the payloads of this coding are.
    package let kind: PayloadKind
    private let coding: any PayloadCoding<Value>
    private let versions: PayloadVersions<Value>?
    private let scratches = ScratchPool()

    /// Binds a coding to the type.
    package init(_ coding: any PayloadCoding<Value>) {
        versions = (Value.self as? any PayloadEvolution.Type).flatMap { Self.versions($0) }
        kind = PayloadKind(
            type: versions?.name ?? Self.fullName, version: versions?.current ?? 1,
            contentType: coding.contentType)
        self.coding = coding
    }

    /// The type's name from its module on; of a private type without the address of its scope, which is another in each run.
    package static var fullName: String {
        let name = String(reflecting: Value.self)
        // Of most types there is none to look for, and a regular expression takes a while to be made.
        guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
        return name.replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
    }

    private static func versions<Evolving: PayloadEvolution>(_ type: Evolving.Type) -> PayloadVersions<Value>? {
        Evolving.versions as? PayloadVersions<Value>
    }

    /// The default coding: JSON.
    package static func json(sortedKeys: Bool = false) -> Self {
        Self(JSONCoding(Value.self, sortedKeys: sortedKeys))
    }

    /// Makes a payload of a value.
    package func encode(_ value: Value) throws(CodingFailure) -> Payload {
        var bytes: [UInt8] = []
        try scratches.withScratch { scratch throws(CodingFailure) in
            try coding.encode(value, into: &bytes, scratch: &scratch)
        }
        return Payload(kind: kind, bytes: bytes)
    }

    /// Makes a value of a payload.
    ///
    /// - Throws: a `CodingFailure` for another coding or type's payload, for a version that the type does not name, and
    ///   for bytes that are no value.
    package func decode(_ payload: Payload) throws(CodingFailure) -> Value {
        guard payload.kind.contentType == kind.contentType else {
            throw CodingFailure(
                .decoding, type: kind.type,
                reason: "it is \(payload.kind.contentType), and this program reads \(kind.contentType)")
        }
        guard payload.kind.type == kind.type, payload.kind.version == kind.version else {
            return try decodeFormer(payload)
        }
        return try scratches.withScratch { scratch throws(CodingFailure) in
            try coding.decode(payload.bytes.span.bytes, scratch: &scratch)
        }
    }

    /// What an earlier build wrote.
    private func decodeFormer(_ payload: Payload) throws(CodingFailure) -> Value {
        guard let versions, payload.kind.type == versions.name || versions.formerNames.contains(payload.kind.type),
            payload.kind.contentType == PayloadKind.jsonContentType
        else {
            throw CodingFailure(
                .decoding, type: kind.type, reason: "it is \(payload.kind.type), version \(payload.kind.version)")
        }
        return try versions.read(payload.bytes, version: payload.kind.version)
    }
}
