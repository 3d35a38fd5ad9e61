#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One conversion to UTF-8 by the system's `iconv`.
struct Iconv: ~Copyable {
    private let handle: iconv_t

    /// Opens a conversion; `nil` when the system does not know the encoding.
    init?(from encoding: String) {
        guard let handle = iconv_open("UTF-8", encoding), Int(bitPattern: handle) != -1 else { return nil }
        self.handle = handle
    }

    deinit { iconv_close(handle) }

    /// The text of `bytes`; a byte that the encoding does not know becomes U+FFFD.
    consuming func convert(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text = [UInt8]()
        text.reserveCapacity(bytes.count + bytes.count / 2)
        var input = UnsafeMutablePointer(mutating: bytes.assumingMemoryBound(to: CChar.self).baseAddress)
        var inputLeft = bytes.count
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            while inputLeft > 0 {
                var output = buffer.baseAddress
                var outputLeft = buffer.count
                let result = iconv(handle, &input, &inputLeft, &output, &outputLeft)
                let code = errno
                text.append(contentsOf: UnsafeRawBufferPointer(buffer).prefix(buffer.count - outputLeft))
                // E2BIG only asks for the next round. Anything else is a byte to step over, so every round gets on.
                if result == -1, code != E2BIG {
                    text.append(contentsOf: [0xEF, 0xBF, 0xBD])
                    input = input?.advanced(by: 1)
                    inputLeft -= 1
                }
            }
        }
        return text
    }
}
