/// The authority part of a URL: user, host, port.
enum WebHost {
    /// The normal form of an authority as written; `nil` when it names no host or no possible port.
    static func normalized(_ written: [UInt8], scheme: String) -> String? {
        var host = written[...]
        var user = ""
        if let at = written.lastIndex(of: UInt8(ascii: "@")) {
            let info = PercentCoding.normalize(written[..<at], allowed: .userInfo)
            if info.isEmpty == false { user = String(decoding: info, as: UTF8.self) + "@" }
            host = written[(at + 1)...]
        }
        guard let (name, port) = split(host), let port = normalized(port: port, scheme: scheme) else { return nil }
        let isAddress = name.first == UInt8(ascii: "[")
        guard let name = isAddress ? IPv6Address(Array(name.dropFirst().dropLast()))?.text : normalized(name: name)
        else {
            return nil
        }
        return user + (isAddress ? "[\(name)]" : name) + port
    }

    private static func split(_ host: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, port: ArraySlice<UInt8>)? {
        let nameEnd: Int
        if host.first == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            nameEnd = bracket + 1
        } else {
            nameEnd = host.firstIndex(of: UInt8(ascii: ":")) ?? host.endIndex
        }
        if nameEnd == host.endIndex { return (host, []) }
        guard host[nameEnd] == UInt8(ascii: ":") else { return nil }
        return (host[..<nameEnd], host[(nameEnd + 1)...])
    }

    private static func normalized(port: ArraySlice<UInt8>, scheme: String) -> String? {
        if port.isEmpty { return "" }
        guard port.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        guard let number = UInt16(String(decoding: port, as: UTF8.self)), number > 0 else { return nil }
        return number == (scheme == "https" ? 443 : 80) ? "" : ":\(number)"
    }

    private static func normalized(name: ArraySlice<UInt8>) -> String? {
        let decoded = PercentCoding.decode(name)
        guard decoded.isEmpty == false, decoded.allSatisfy({ isForbidden($0) == false }) else { return nil }
        let text = String(decoding: decoded, as: UTF8.self).lowercased()
        let labels = text.split(separator: ".", omittingEmptySubsequences: false).map(Punycode.label)
        guard labels.allSatisfy({ $0.utf8.count <= 63 }) else { return nil }
        let host = labels.joined(separator: ".")
        return host.utf8.count <= 253 ? host : nil
    }

    /// Characters that no host name can contain (the URL standard's forbidden host code points).
    private static func isForbidden(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F || forbidden.contains(byte) }

    private static let forbidden = Set("#%/:<>?@[\\]^|\"`{}".utf8)
}
