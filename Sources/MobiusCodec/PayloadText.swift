import Foundation

/// Payloads as JSON for people, whatever coding they are in.
package enum PayloadText {
    /// The payload as JSON in one line: JSON without line breaks, other codings converted.
    ///
    /// - Returns: `nil` for an unknown coding, and for bytes that are not one value.
    package static func json(of bytes: [UInt8], contentType: String) -> String? {
        switch contentType {
        case "application/json": json(bytes)
        case FastText.contentType: try? FastText.json(of: bytes.span.bytes)
        default: nil
        }
    }

    /// Returns the reason why the bytes are not one JSON value, in a clause; `nil` if they are.
    ///
    /// Only their structure is looked at: whether numbers and texts are valid, their reader says, and where.
    package static func problem(withJSON bytes: [UInt8]) -> String? {
        var nodes = NodeList()
        defer { nodes.deallocate() }
        do throws(MalformedBytes) {
            try bytes.span.bytes.withUnsafeBytes { (buffer) throws(MalformedBytes) in
                try JSONScanner.scan(buffer, into: &nodes)
            }
            return nil
        } catch {
            return "\(error.reason)"
        }
    }

    /// JSON strings contain no line breaks, so all line breaks are between values and can be replaced by spaces.
    private static func json(_ bytes: [UInt8]) -> String? {
        let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        guard value != nil else { return nil }
        return String(validating: bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
    }
}
