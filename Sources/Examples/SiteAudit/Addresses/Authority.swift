/// The authority of a URL: user, host and port.
enum Authority {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Appends the serialised form of an authority as written; `false` when it names no host or no possible port.
    static func append(_ written: Bytes, isSecure: Bool, to output: inout [UInt8]) -> Bool {
        var host = written
        if let at = written.lastIndex(of: UInt8(ascii: "@")) {
            append(userInfo: written.extracting(..<at), to: &output)
            host = written.extracting((at + 1)...)
        }
        let colon = portColon(in: host)
        guard WebHost.append(host.extracting(..<(colon ?? host.count)), to: &output) else { return false }
        guard let colon else { return true }
        return append(port: host.extracting((colon + 1)...), unless: isSecure ? 443 : 80, to: &output)
    }

    private static func append(userInfo: Bytes, to output: inout [UInt8]) {
        let colon = userInfo.firstIndex(of: UInt8(ascii: ":")) ?? userInfo.count
        let user = userInfo.extracting(..<colon)
        let password = userInfo.extracting(min(colon + 1, userInfo.count)...)
        if user.isEmpty, password.isEmpty { return }
        PercentCoding.append(user, encoding: PercentCoding.userInfo, to: &output)
        if password.isEmpty == false {
            output.append(UInt8(ascii: ":"))
            PercentCoding.append(password, encoding: PercentCoding.userInfo, to: &output)
        }
        output.append(UInt8(ascii: "@"))
    }

    /// The first colon that is not in brackets.
    private static func portColon(in host: Bytes) -> Int? {
        var isInBrackets = false
        for (index, byte) in host.enumerated() {
            switch byte {
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: ":") where isInBrackets == false: return index
            default: continue
            }
        }
        return nil
    }

    /// Nothing is written for no digits and for the default port.
    private static func append(port digits: Bytes, unless standard: Int, to output: inout [UInt8]) -> Bool {
        var port = 0
        for byte in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return false }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
            guard port <= UInt16.max else { return false }
        }
        if digits.isEmpty == false, port != standard { output.append(contentsOf: ":\(port)".utf8) }
        return true
    }
}
