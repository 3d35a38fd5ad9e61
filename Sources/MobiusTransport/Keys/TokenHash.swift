/// The hash of a bearer token, as the allow-list stores it in place of a public key: `sha256:` and 64 hexadecimal digits.
///
/// A token has 256 random bits, so neither its hash nor the time of a comparison of hashes helps to find it.
package struct TokenHash: Hashable, Sendable {
    /// The beginning of its text.
    static let prefix = "sha256:"

    /// As in the allow-list.
    package let text: String

    /// Hashes a token.
    package init(of token: String) {
        text = Self.prefix + SHA256.hash(Array(token.utf8)).map { Self.digits($0) }.joined()
    }

    /// Reads ``text``; `nil` for anything else.
    init?(_ text: some StringProtocol) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let digits = text.utf8.dropFirst(Self.prefix.utf8.count)
        let known = Set("0123456789abcdef".utf8)
        guard digits.count == 64, digits.allSatisfy(known.contains) else { return nil }
        self.text = String(text)
    }

    /// A new token: `mft_` and 256 random bits as hexadecimal digits.
    static func newToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return "mft_" + (0..<32).map { _ in digits(UInt8.random(in: .min ... .max, using: &generator)) }.joined()
    }

    private static func digits(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}
