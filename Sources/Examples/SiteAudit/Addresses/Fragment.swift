/// The part of an address after `#`.
enum Fragment {
    /// The decoded fragment; `nil` if it is only a text directive, which has no anchor as its target.
    static func decoded(_ written: some Collection<UInt8>) -> String? {
        let directive = written.indices.first {
            written[$0] == UInt8(ascii: ":") && written[$0...].starts(with: ":~:".utf8)
        }
        if directive == written.startIndex { return nil }
        let anchor = written[..<(directive ?? written.endIndex)]
        guard anchor.contains(UInt8(ascii: "%")) else { return String(decoding: anchor, as: UTF8.self) }
        return String(decoding: PercentCoding.decode(anchor), as: UTF8.self)
    }

    /// The encoded form of a decoded fragment.
    static func encoded(_ fragment: String) -> String {
        // `decoded` has turned `%25` into `%`, which must not be read as an escape again.
        let escaped = fragment.utf8.flatMap { $0 == UInt8(ascii: "%") ? Array("%25".utf8) : [$0] }
        return String(decoding: PercentCoding.normalize(escaped), as: UTF8.self)
    }

    /// Whether every page has this target: its top.
    static func isAlwaysThere(_ fragment: String) -> Bool {
        fragment.isEmpty || fragment.lowercased() == "top"
    }

    /// FNV-1a: equal in every process, unlike `Hasher`.
    static func hash(_ fragment: String) -> UInt64 { hash(fragment.utf8) }

    /// FNV-1a of any bytes.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
