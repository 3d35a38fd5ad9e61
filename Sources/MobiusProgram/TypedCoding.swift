package import MobiusCodec
package import MobiusWire

/// The coding of one type, bound once: values to payloads and back.
///
/// Values are written in one coding and read in all that the type has, so that a program may change its coding: what was
/// written before says what it is. A type that conforms to ``PayloadEvolution`` is written under its explicit name and newest
/// version, and read in all versions that it names; any other is version 1 of its type's full name.
// A class, because generic code would copy all of a structure at every use, and look its type up.
package final class TypedCoding<Value: Codable & Sendable>: Sendable {
    /// What the payloads of this coding are.
    package let kind: PayloadKind
    private let coding: any PayloadCoding<Value>
    private let codings: PayloadCodings<Value>
    private let versions: PayloadVersions<Value>?
    private let scratches = ScratchPool()

    /// Binds a coding to the type, which must have it.
    ///
    /// - Parameters:
    ///   - contentType: Of the payloads that are written.
    ///   - deterministic: Whether equal values give equal bytes.
    package init(_ contentType: String, deterministic: Bool = false) {
        codings = PayloadCodings(Value.self, deterministic: deterministic)
        guard let coding = codings[contentType] else {
            preconditionFailure("\(Value.self) has no form in \(contentType): it must conform to FastPayload.")
        }
        self.coding = coding
        versions = (Value.self as? any PayloadEvolution.Type).flatMap { Self.versions($0) }
        kind = PayloadKind(
            type: versions?.name ?? Self.fullName, version: versions?.current ?? 1, contentType: contentType)
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
        Self(PayloadKind.jsonContentType, deterministic: sortedKeys)
    }

    /// The content types that are read.
    package var contentTypes: [String] { codings.contentTypes }

    /// Makes a payload of a value.
    package func encode(_ value: Value) throws(CodingFailure) -> Payload {
        Payload(kind: kind, bytes: try bytes(of: value, coding))
    }

    /// Makes a payload of a value in another coding, as an answer to who wrote in that.
    package func encode(_ value: Value, as contentType: String) throws(CodingFailure) -> Payload {
        guard contentType != kind.contentType else { return try encode(value) }
        guard let coding = codings[contentType] else {
            throw CodingFailure(.encoding, type: kind.type, reason: "it has no form in \(contentType)")
        }
        let kind = PayloadKind(type: kind.type, version: kind.version, contentType: contentType)
        return Payload(kind: kind, bytes: try bytes(of: value, coding))
    }

    private func bytes(of value: Value, _ coding: any PayloadCoding<Value>) throws(CodingFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        try scratches.withScratch { scratch throws(CodingFailure) in
            try coding.encode(value, into: &bytes, scratch: &scratch)
        }
        return bytes
    }

    /// Makes a value of a payload.
    ///
    /// - Throws: a `CodingFailure` for a coding that the type does not have, for another type's payload, for a version that the
    ///   type does not name, and for bytes that are no value.
    package func decode(_ payload: Payload) throws(CodingFailure) -> Value {
        if payload.kind == kind { return try decode(payload, coding) }
        let isUsual = payload.kind.contentType == kind.contentType
        guard let coding = isUsual ? coding : codings[payload.kind.contentType] else {
            throw CodingFailure(
                .decoding, type: kind.type,
                reason:
                    "it is \(payload.kind.contentType), and this program reads \(contentTypes.joined(separator: ", "))")
        }
        guard payload.kind.type == kind.type, payload.kind.version == kind.version else {
            return try decodeFormer(payload)
        }
        return try decode(payload, coding)
    }

    private func decode(_ payload: Payload, _ coding: any PayloadCoding<Value>) throws(CodingFailure) -> Value {
        try scratches.withScratch { scratch throws(CodingFailure) in
            try coding.decode(payload.bytes.span.bytes, scratch: &scratch)
        }
    }

    /// What an earlier build wrote.
    private func decodeFormer(_ payload: Payload) throws(CodingFailure) -> Value {
        guard let versions, payload.kind.type == versions.name || versions.formerNames.contains(payload.kind.type)
        else {
            throw CodingFailure(
                .decoding, type: kind.type, reason: "it is \(payload.kind.type), version \(payload.kind.version)")
        }
        return try versions.read(payload)
    }
}
