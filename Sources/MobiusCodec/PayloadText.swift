import Foundation

/// Payloads as JSON for people, whatever coding they are in.
package enum PayloadText {
    /// The payload as JSON in one line: JSON without line breaks, other codings converted.
    ///
    /// - Returns: `nil` for an unknown coding, and for bytes that are not one value.
    package static func json(of bytes: [UInt8], contentType: String) -> String? {
        switch contentType {
        case "application/json": json(bytes)
        case "application/cbor": try? CBORText.json(of: bytes.span.bytes)
        case FastText.contentType: try? FastText.json(of: bytes.span.bytes)
        default: nil
        }
    }

    /// JSON strings contain no line breaks, so all line breaks are between values and can be replaced by spaces.
    private static func json(_ bytes: [UInt8]) -> String? {
        let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        guard value != nil else { return nil }
        return String(validating: bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
    }
}
