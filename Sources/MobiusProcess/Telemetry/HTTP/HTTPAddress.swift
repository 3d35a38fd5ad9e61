/// The address of probes and metrics: `9464`, `127.0.0.1:9464`, `[::1]:9464`, `0.0.0.0:9464`, `localhost:9464`.
///
/// A port alone means loopback. Port 0 lets the system choose a port, which is logged.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or number of this host, without brackets.
    package let host: String
    package let port: Int

    /// Parses the text; nil when it is not an address.
    package init?(_ text: String) {
        let (host, digits): (Substring, Substring)
        if let colon = text.lastIndex(of: ":") {
            (host, digits) = (text[..<colon], text[text.index(after: colon)...])
        } else {
            (host, digits) = ("127.0.0.1", text[...])
        }
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = Int(digits), port <= 65_535 else {
            return nil
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? host.dropFirst().dropLast() : host
        // With a colon outside of brackets the port would be ambiguous.
        guard !name.isEmpty, isBracketed == name.contains(":"), !name.contains(where: { "[]/ ".contains($0) })
        else { return nil }
        self.host = String(name)
        self.port = port
    }

    /// The text that parses back.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
