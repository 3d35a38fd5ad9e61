import CLibCurl

/// Undoes the content codings (RFC 9110, 8.4) of bodies at which libcurl gives up: names that are none, several gzip members,
/// bytes behind the last one, a body that is not coded at all.
enum ContentCoding {
    /// The result of decoding a body.
    enum Decoded: Equatable {
        case bytes([UInt8])
        case tooLarge
        case unreadable
    }

    /// Codings that only libcurl can undo, or nobody (IANA's registry, and what was proposed or is in use).
    private static let foreign: Set<String> = [
        "aes128gcm", "br", "bzip2", "compress", "dcb", "dcz", "exi", "lzma", "pack200-gzip", "sdch", "x-bzip2",
        "x-compress", "xz", "zstd",
    ]
    private static let inflatable: Set<String> = ["deflate", "gzip", "x-deflate", "x-gzip"]

    /// The body that was sent in these codings, the last of which was applied last.
    static func decode(_ body: [UInt8], codings: [String], limits: FetchLimits) -> Decoded {
        var body = body
        for coding in codings.reversed() where foreign.contains(coding) || inflatable.contains(coding) {
            // Some servers say of plain text that it is coded.
            if isText(body) { continue }
            guard inflatable.contains(coding) else { return .unreadable }
            switch inflate(body, limits: limits) {
            case .bytes(let inflated): body = inflated
            case let other: return other
            }
        }
        return .bytes(body)
    }

    /// Whether the beginning has no byte that text does not have (MIME Sniffing standard, binary data byte).
    private static func isText(_ body: [UInt8]) -> Bool {
        body.prefix(MediaType.sniffedBytes).allSatisfy { $0 >= 0x20 || [0x09, 0x0A, 0x0C, 0x0D, 0x1B].contains($0) }
    }

    /// Tells gzip and zlib by their first bytes; what is neither is deflate without zlib's frame.
    private static func inflate(_ body: [UInt8], limits: FetchLimits) -> Decoded {
        let framed = inflate(body, windowBits: MAX_WBITS + 32, limits: limits)
        return framed == .unreadable ? inflate(body, windowBits: -MAX_WBITS, limits: limits) : framed
    }

    private static func inflate(_ body: [UInt8], windowBits: Int32, limits: FetchLimits) -> Decoded {
        let limit = min(limits.pageBytes, limits.inflation * body.count)
        var stream = z_stream()
        guard clibcurl_inflate_begin(&stream, windowBits) == Z_OK else { return .unreadable }
        defer { inflateEnd(&stream) }
        var (input, text) = (body, [UInt8]())
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64 << 10) { output in
                while true {
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    let status = CLibCurl.inflate(&stream, Z_NO_FLUSH)
                    text.append(contentsOf: output.prefix(output.count - Int(stream.avail_out)))
                    if text.count > limit { return .tooLarge }
                    switch status {
                    case Z_OK: continue
                    // The body was cut: browsers show what there is, too.
                    case Z_BUF_ERROR: return text.isEmpty ? .unreadable : .bytes(text)
                    case Z_STREAM_END:
                        let rest = input.suffix(Int(stream.avail_in))
                        guard rest.starts(with: [0x1F, 0x8B]), inflateReset(&stream) == Z_OK else {
                            return .bytes(text)
                        }
                    default: return .unreadable
                    }
                }
            }
        }
    }
}
