// Data items of CBOR, each in the shortest form it has (RFC 8949, section 4.1).
extension OutputBytes {
    mutating func appendHead(_ major: CBORHead.Major, _ argument: UInt64) {
        reserve(9)
        count += Self.lay(major, argument, at: base + count)
    }

    /// Writes a head into reserved room; returns its length.
    private static func lay(_ major: CBORHead.Major, _ argument: UInt64, at place: UnsafeMutablePointer<UInt8>) -> Int {
        if argument < UInt64(CBORHead.Information.oneByte) {
            place[0] = major.bits | UInt8(truncatingIfNeeded: argument)
            return 1
        }
        let rest = UnsafeMutableRawPointer(place + 1)
        switch argument {
        case 0...0xff:
            place[0] = major.bits | CBORHead.Information.oneByte
            place[1] = UInt8(truncatingIfNeeded: argument)
            return 2
        case 0...0xffff:
            place[0] = major.bits | CBORHead.Information.twoBytes
            rest.storeBytes(of: UInt16(truncatingIfNeeded: argument).bigEndian, as: UInt16.self)
            return 3
        case 0...0xffff_ffff:
            place[0] = major.bits | CBORHead.Information.fourBytes
            rest.storeBytes(of: UInt32(truncatingIfNeeded: argument).bigEndian, as: UInt32.self)
            return 5
        default:
            place[0] = major.bits | CBORHead.Information.eightBytes
            rest.storeBytes(of: argument.bigEndian, as: UInt64.self)
            return 9
        }
    }

    /// Makes the byte at `start` the head of a container that reaches to the end.
    mutating func closeHead(_ major: CBORHead.Major, at start: Int, count items: Int) {
        if items < Int(CBORHead.Information.oneByte) {
            base[start] = major.bits | UInt8(truncatingIfNeeded: items)
            return
        }
        // Moving the content once costs less than writing any 24 values, and deterministic encoding requires definite
        // lengths.
        let more = items <= 0xff ? 1 : items <= 0xffff ? 2 : items <= 0xffff_ffff ? 4 : 8
        reserve(more)
        let content = base + start + 1
        UnsafeMutableRawPointer(content + more).copyMemory(from: content, byteCount: count - start - 1)
        count += more
        _ = Self.lay(major, UInt64(items), at: base + start)
    }

    mutating func appendBinary(_ integer: some FixedWidthInteger) {
        if let small = UInt64(exactly: integer) {
            appendHead(.unsigned, small)
        } else if integer < 0, let below = UInt64(exactly: ~integer) {
            appendHead(.negative, below)  // -1 - n is the complement of n
        } else {
            appendBignum(integer)
        }
    }

    /// An integer beyond 64 bits: tag 2 or 3, and its bytes.
    private mutating func appendBignum(_ integer: some FixedWidthInteger) {
        let isNegative = integer < 0
        let magnitude = UInt128(truncatingIfNeeded: isNegative ? ~integer : integer)
        appendBignum(magnitude, isNegative: isNegative)
    }

    /// The number `magnitude`, or `-1 - magnitude`.
    mutating func appendBignum(_ magnitude: UInt128, isNegative: Bool) {
        if let small = UInt64(exactly: magnitude) {
            return appendHead(isNegative ? .negative : .unsigned, small)
        }
        appendHead(.tag, (isNegative ? CBORTag.negative : .positive).number)
        let length = 16 - magnitude.leadingZeroBitCount / 8
        appendHead(.bytes, UInt64(length))
        for index in (0..<length).reversed() { append(UInt8(truncatingIfNeeded: magnitude >> (8 * index))) }
    }

    /// A byte or text string.
    mutating func appendString(_ major: CBORHead.Major, _ bytes: UnsafeBufferPointer<UInt8>) {
        appendHead(major, UInt64(bytes.count))
        append(bytes)
    }

    /// The key of a member that begins at `start`.
    func binaryKey(writtenAt start: Int) -> PlaceKey {
        var at = start
        guard let head = CBORHead(base, &at, end: count) else { return PlaceKey("") }
        switch head.major {
        case .unsigned: return PlaceKey(number: Int(head.argument))
        case .negative: return PlaceKey(number: ~Int(head.argument))
        default:
            return PlaceKey(
                String(decoding: UnsafeBufferPointer(rebasing: content[at..<at + Int(head.argument)]), as: UTF8.self))
        }
    }
}
