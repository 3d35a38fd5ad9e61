package import MobiusCodec

/// A record of which an answer shows the payload, too.
package protocol PayloadRecord: Codable {
    /// The payload's key in JSON; with `Base64` appended, if the payload is not JSON.
    static var payloadKey: String { get }
    /// Whether the record itself has the fields of the payload's kind and its size.
    static var hasKind: Bool { get }
}

extension PayloadRecord {
    package static var hasKind: Bool { true }
}

extension EffectSummary: PayloadRecord {
    package static var payloadKey: String { "effect" }
}

extension DeadLetterSummary: PayloadRecord {
    package static var payloadKey: String { "effect" }
}

extension QuarantineSummary: PayloadRecord {
    package static var payloadKey: String { "event" }
}

extension ModelSummary: PayloadRecord {
    package static var payloadKey: String { "model" }
    package static var hasKind: Bool { false }
}

/// A record and its payload as one object: the record's fields, the payload's kind and size, and the payload as JSON or in Base64.
package struct RecordWithPayload<Record: PayloadRecord>: Codable {
    package let record: Record
    package let payload: Payload
    private let content: (json: JSONFragment?, base64: Base64Bytes?)

    package init(_ record: Record, _ payload: Payload) {
        (self.record, self.payload) = (record, payload)
        content = payload.content
    }

    /// A payload that this program has written itself: a large one in JSON need not be looked through again, so that watchers cost its
    /// size only.
    ///
    /// A coding of the program's own that calls something else JSON makes an answer that no client can read.
    package init(_ record: Record, written payload: Payload) {
        (self.record, self.payload) = (record, payload)
        let isTrusted = payload.bytes.count > 64 << 10 && payload.kind.contentType == PayloadKind.jsonContentType
        content = isTrusted ? (JSONFragment(written: payload.bytes), nil) : payload.content
    }

    /// - Parameter text: The text that people see instead of a payload in a coding that they cannot read.
    package init(_ record: Record, _ payload: Payload, shownAs text: JSONFragment?) {
        (self.record, self.payload) = (record, payload)
        content = text.map { ($0, nil) } ?? payload.content
    }

    private struct Kind: Codable {
        let type: String
        let typeVersion: UInt16
        let contentType: String
        let size: Int
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }

        static var json: Key { Key(stringValue: Record.payloadKey) }
        static var base64: Key { Key(stringValue: Record.payloadKey + "Base64") }
    }

    package func encode(to encoder: any Encoder) throws {
        try record.encode(to: encoder)
        if !Record.hasKind {
            let kind = payload.kind
            try Kind(
                type: kind.type, typeVersion: kind.version, contentType: kind.contentType, size: payload.bytes.count
            ).encode(to: encoder)
        }
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(content.json, forKey: .json)
        try container.encodeIfPresent(content.base64, forKey: .base64)
    }

    package init(from decoder: any Decoder) throws {
        let kind = try Kind(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        let bytes =
            if let json = try container.decodeIfPresent(JSONFragment.self, forKey: .json) {
                json.bytes
            } else {
                try container.decode(Base64Bytes.self, forKey: .base64).bytes
            }
        self.init(
            try Record(from: decoder),
            Payload(
                kind: PayloadKind(type: kind.type, version: kind.typeVersion, contentType: kind.contentType),
                bytes: bytes))
    }
}

extension Payload {
    /// Its bytes as JSON, if they are that, or else for Base64; `null` is not, because readers take it for nothing.
    var content: (json: JSONFragment?, base64: Base64Bytes?) {
        guard kind.contentType == PayloadKind.jsonContentType, let json = JSONFragment(bytes), !json.isNull else {
            return (nil, Base64Bytes(bytes))
        }
        return (json, nil)
    }
}
