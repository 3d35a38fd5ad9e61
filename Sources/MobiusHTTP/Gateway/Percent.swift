#if HTTP
    /// Percent-encoding (RFC 3986, 2.1), strictly: what is not encoded rightly is refused, not guessed.
    package enum Percent {
        /// The decoded text; `nil` when it is not encoded rightly or not UTF-8.
        ///
        /// - Parameter isQuery: Whether `+` stands for a space, as in forms.
        package static func decoded(_ text: some StringProtocol, isQuery: Bool = false) -> String? {
            var bytes: [UInt8] = []
            var rest = text.utf8.makeIterator()
            while let byte = rest.next() {
                switch byte {
                case UInt8(ascii: "%"):
                    guard let high = rest.next().flatMap(value), let low = rest.next().flatMap(value) else {
                        return nil
                    }
                    bytes.append(high << 4 | low)
                case UInt8(ascii: "+") where isQuery: bytes.append(UInt8(ascii: " "))
                default: bytes.append(byte)
                }
            }
            return String(validating: bytes, as: UTF8.self)
        }

        /// The text with all bytes encoded but letters, digits and `-._~`.
        package static func encoded(_ text: String) -> String {
            var encoded = ""
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    encoded.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    encoded += byte < 16 ? "%0" : "%"
                    encoded += String(byte, radix: 16, uppercase: true)
                }
            }
            return encoded
        }

        private static func value(_ digit: UInt8) -> UInt8? {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }
#endif
