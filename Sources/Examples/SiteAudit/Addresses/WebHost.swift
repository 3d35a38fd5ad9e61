import CLibIDN2

/// Host names and addresses (https://url.spec.whatwg.org/#host-parsing).
enum WebHost {
    /// Appends the serialised form of a host as written; `false` when it is none.
    static func append(_ written: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) -> Bool {
        if written.first == UInt8(ascii: "[") {
            guard written.last == UInt8(ascii: "]") else { return false }
            guard let address = IPv6Address(written.dropFirst().dropLast()) else { return false }
            output.append(contentsOf: "[\(address.text)]".utf8)
            return true
        }
        let start = output.count
        if append(domain: written, to: &output) == false {
            output.removeSubrange(start...)
            guard let ascii = ascii(PercentCoding.decode(written)), append(domain: ascii, to: &output) else {
                return false
            }
        }
        guard IPv4Address.isMeant(by: output[start...]) else { return output.count > start }
        guard let address = IPv4Address(output[start...]) else { return false }
        output.replaceSubrange(start..., with: address.text.utf8)
        return true
    }

    /// Appends a name in lower case up to the first byte that no name contains; `false` if there is one.
    private static func append(domain: some Collection<UInt8>, to output: inout [UInt8]) -> Bool {
        for byte in domain {
            if forbidden.contains(byte) { return false }
            output.append(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte)
        }
        return true
    }

    /// The URL standard's forbidden domain code points.
    private static let forbidden = ByteSet(controlsAnd: "#/:<>?@[\\]^|%")

    /// The name with its international labels in ASCII (UTS 46, non-transitional); `nil` when that is impossible.
    ///
    /// A name in ASCII stays as it is: not even `xn--` labels are checked, as names of that kind which UTS 46 refuses
    /// are in use.
    private static func ascii(_ name: [UInt8]) -> [UInt8]? {
        if name.allSatisfy({ $0 < 0x80 }) { return name }
        // C would take it for the end.
        if name.contains(0) { return nil }
        let (mapped, error) = lookup(name, IDN2_NONTRANSITIONAL)
        guard error == IDN2_DISALLOWED else { return mapped }
        // libidn2 refuses symbols, which UTS 46 allows, except in the transitional form: it differs in four characters.
        let deviations: Set<Unicode.Scalar> = ["ß", "ς", "\u{200C}", "\u{200D}"]
        guard deviations.isDisjoint(with: String(decoding: name, as: UTF8.self).unicodeScalars) else { return nil }
        return lookup(name, IDN2_TRANSITIONAL).name
    }

    private static func lookup(_ name: [UInt8], _ form: idn2_flags) -> (name: [UInt8]?, error: idn2_rc) {
        var result: UnsafeMutablePointer<UInt8>?
        let flags = Int32(form.rawValue | IDN2_NO_ALABEL_ROUNDTRIP.rawValue)
        let code = idn2_lookup_u8(name + [0], &result, flags)
        defer { idn2_free(result) }
        guard let result, code == IDN2_OK.rawValue else { return (nil, idn2_rc(rawValue: code)) }
        return (Array(String(cString: result).utf8), IDN2_OK)
    }
}
