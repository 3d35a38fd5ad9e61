#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One conversion by the system's `iconv`.
struct Iconv: ~Copyable {
    private let handle: iconv_t

    /// Opens a conversion; `nil` when the system does not know an encoding.
    init?(from source: String, to target: String) {
        guard let handle = iconv_open(target, source), Int(bitPattern: handle) != -1 else { return nil }
        self.handle = handle
    }

    deinit { iconv_close(handle) }

    /// The text of `bytes`; a byte that the encoding does not know becomes U+FFFD.
    consuming func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 2)
        convert(bytes, to: &text) { _, text in
            text.append(contentsOf: "\u{FFFD}".utf8)
            return 1
        }
        endShift(&text)
        return text
    }

    /// The bytes of UTF-8 text; for a character that the encoding does not know stand those that `replacement` makes.
    consuming func encode(_ text: String, replacement: (Unicode.Scalar) -> [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var text = text
        text.withUTF8 { utf8 in
            convert(utf8, to: &bytes) { rest, bytes in
                guard let scalar = String(decoding: rest.prefix(4), as: UTF8.self).unicodeScalars.first else {
                    return 1
                }
                endShift(&bytes)
                bytes.append(contentsOf: replacement(scalar))
                return UTF8.width(scalar)
            }
        }
        endShift(&bytes)
        return bytes
    }

    /// Writes what is kept for the next character, and goes back to ASCII where the encoding has shifts to other sets.
    private func endShift(_ bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
            var output = buffer.baseAddress
            var outputLeft = buffer.count
            _ = iconv(handle, nil, nil, &output, &outputLeft)
            bytes.append(contentsOf: UnsafeRawBufferPointer(buffer).prefix(buffer.count - outputLeft))
        }
    }

    /// - Parameter mend: Puts something for the beginning of what cannot be converted, and returns that one's length.
    private func convert(
        _ bytes: UnsafeBufferPointer<UInt8>, to converted: inout [UInt8],
        mend: (_ rest: Slice<UnsafeBufferPointer<UInt8>>, _ converted: inout [UInt8]) -> Int
    ) {
        bytes.withMemoryRebound(to: CChar.self) { chars in
            var input = UnsafeMutablePointer(mutating: chars.baseAddress)
            var inputLeft = chars.count
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
                while inputLeft > 0 {
                    var output = buffer.baseAddress
                    var outputLeft = buffer.count
                    let result = iconv(handle, &input, &inputLeft, &output, &outputLeft)
                    let code = errno
                    converted.append(contentsOf: UnsafeRawBufferPointer(buffer).prefix(buffer.count - outputLeft))
                    // E2BIG only asks for the next round. Anything else is to step over, so every round gets on.
                    guard result == -1, code != E2BIG else { continue }
                    let skipped = min(mend(bytes[(bytes.count - inputLeft)...], &converted), inputLeft)
                    input = input?.advanced(by: skipped)
                    inputLeft -= skipped
                }
            }
        }
    }
}
