import Foundation
package import MobiusCodec
package import MobiusWire

/// One JSON object in one line; keys are in the order in which they were set.
package struct JSONLine {
    private var members: [String] = []

    /// Makes an empty object.
    package init() {}

    /// Makes an object with the members of a record, which must be an object in JSON.
    package init(_ record: some Codable) {
        let object = Self.text(of: record).dropFirst().dropLast()
        if !object.isEmpty { members.append(String(object)) }
    }

    /// Makes an object with the members of a record and of the payload that it shows, as people see it.
    package init(_ record: some PayloadRecord, _ payload: Payload) {
        self.init(RecordWithPayload(record, payload, shownAs: payload.shown))
    }

    /// A value as JSON in one line.
    private static func text<Value: Codable>(of value: Value) -> String {
        var (bytes, scratch) = ([UInt8](), CodingScratch())
        // Records are never what JSON cannot hold.
        try? JSONCodec(Value.self).encode(value, into: &bytes, scratch: &scratch)
        // Texts in JSON contain no line breaks, so all are between values.
        return String(decoding: bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
    }

    /// Sets a text; `nil` leaves the key out.
    package mutating func set(_ key: String, _ value: String?) {
        guard let value else { return }
        members.append("\(Self.quoted(key)):\(Self.quoted(value))")
    }

    /// Sets a whole number; `nil` leaves the key out.
    package mutating func set(_ key: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        members.append("\(Self.quoted(key)):\(value)")
    }

    /// Sets a truth value.
    package mutating func set(_ key: String, _ value: Bool) {
        members.append("\(Self.quoted(key)):\(value)")
    }

    /// Sets a time as ISO 8601 text; `nil` leaves the key out.
    package mutating func set(_ key: String, _ value: WallTime?) {
        set(key, value.map { Times.point($0, milliseconds: true) })
    }

    /// Sets a list of texts.
    package mutating func set(_ key: String, _ values: [String]) {
        members.append("\(Self.quoted(key)):[\(values.map(Self.quoted).joined(separator: ","))]")
    }

    /// Sets a payload as ``set(_:_:)`` does, but exactly: passwords in URLs are shown.
    package mutating func set(exactly key: String, _ payload: Payload) {
        guard let json = PayloadText.json(of: payload.bytes, contentType: payload.kind.contentType) else {
            return set(key, payload)
        }
        members.append("\(Self.quoted(key)):\(json)")
    }

    /// Sets a list of objects.
    package mutating func set(_ key: String, _ values: [JSONLine]) {
        members.append("\(Self.quoted(key)):[\(values.map(\.text).joined(separator: ","))]")
    }

    /// Sets a payload: as JSON if its content type is known, otherwise in base 64 under the key with `Base64` appended.
    package mutating func set(_ key: String, _ payload: Payload) {
        if let json = payload.json {
            members.append("\(Self.quoted(key)):\(json)")
        } else {
            set(key + "Base64", Data(payload.bytes).base64EncodedString())
        }
    }

    /// Sets the type, version and content type of a payload.
    package mutating func set(_ kind: PayloadKind) {
        set("type", kind.type)
        set("typeVersion", kind.version)
        set("contentType", kind.contentType)
    }

    /// The object, without a line break.
    package var text: String { "{\(members.joined(separator: ","))}" }

    private static func quoted(_ text: String) -> String {
        // Most texts need no escape, and an encoder costs more than all the rest of a line.
        var text = text
        let isPlain = text.withUTF8 { $0.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C } }
        if isPlain { return "\"\(text)\"" }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // Every string can be encoded as JSON.
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}

extension Payload {
    /// The payload as JSON in one line: JSON bytes unchanged except for line breaks and passwords, or the JSON form of
    /// another known content type; `nil` for any other content.
    ///
    /// The password in a URL is shown as `***`, because other people may read terminals and their scroll-back.
    package var json: String? {
        guard let json = PayloadText.json(of: bytes, contentType: kind.contentType) else { return nil }
        guard json.contains("@") else { return json }
        return json.replacing(Self.password) { "\($0.1)***" }
    }

    /// The text of ``json``, to be written into a record.
    package var shown: JSONFragment? { json.flatMap { JSONFragment(Array($0.utf8)) } }

    /// The password in a URL, after its scheme and user (RFC 3986, 3.2.1); slashes may be escaped.
    private static var password: Regex<(Substring, Substring)> {
        #/(:(?:\\?/){2}[^\s"/@:?#]*:)[^\s"/@?#]+(?=@)/#
    }

    /// For people: ``json`` with line breaks, or the number of bytes.
    package var readable: String {
        guard let json,
            let value = try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed),
            let data = try? JSONSerialization.data(
                withJSONObject: value,
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
        else { return "(\(bytes.count) bytes of \(TerminalText.line(kind.contentType)))" }
        return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map { TerminalText.line(String($0)) }.joined(separator: "\n")
    }
}
