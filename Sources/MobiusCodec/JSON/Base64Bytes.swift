import Foundation

/// Bytes that are Base64 in JSON (RFC 4648).
package struct Base64Bytes: Hashable, Sendable, Codable {
    /// The bytes.
    package let bytes: [UInt8]

    /// Wraps bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Writes the text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes))
    }

    /// Reads the text.
    package init(from decoder: any Decoder) throws {
        bytes = Array(try decoder.singleValueContainer().decode(Data.self))
    }
}
