/// The head of every data item: its type and a number (RFC 8949, section 3).
struct CBORHead {
    /// The major type of a data item: the three high bits of its first byte.
    enum Major {
        case unsigned, negative, bytes, text, array, map, tag
        /// Simple values and floating-point numbers.
        case simple

        /// In the first byte, whose low five bits are zero.
        var bits: UInt8 { unsafeBitCast(self, to: UInt8.self) << 5 }
    }

    /// The low five bits of the first byte: the argument itself, or how many bytes of it follow.
    enum Information {
        static let oneByte: UInt8 = 24
        static let twoBytes: UInt8 = 25
        static let fourBytes: UInt8 = 26
        static let eightBytes: UInt8 = 27
        static let indefinite: UInt8 = 31
    }

    let major: Major
    let information: UInt8
    /// A value, a length, a count or a tag; the bits of a floating-point number.
    let argument: UInt64

    /// Whether the length or count is indefinite.
    var isIndefinite: Bool { information == Information.indefinite }

    static let `false`: UInt8 = 0xf4
    static let `true`: UInt8 = 0xf5
    static let null: UInt8 = 0xf6
    static let undefined: UInt8 = 0xf7
    static let emptyMap: UInt8 = 0xa0
    /// Ends a container or string of indefinite length.
    static let stop: UInt8 = 0xff

    /// Reads the head at `at`, and steps behind it; `nil` when the bytes end before it does or none begins so.
    @inline(__always)
    init?(_ bytes: UnsafePointer<UInt8>, _ at: inout Int, end: Int) {
        guard at < end else { return nil }
        let first = bytes[at]
        information = first & 0x1f
        // All eight values of three bits are cases, in their order, which is how an enum lies in memory.
        major = unsafeBitCast(first >> 5, to: Major.self)
        guard information >= Self.Information.oneByte else {
            argument = UInt64(information)
            at += 1
            return
        }
        guard let argument = Self.longArgument(information, bytes + at + 1, left: end - at - 1) else { return nil }
        self.argument = argument.value
        at += 1 + argument.length
    }

    private static func longArgument(
        _ information: UInt8, _ bytes: UnsafePointer<UInt8>, left: Int
    ) -> (value: UInt64, length: Int)? {
        let raw = UnsafeRawPointer(bytes)
        switch information {
        case Information.oneByte where left >= 1: return (UInt64(bytes[0]), 1)
        case Information.twoBytes where left >= 2:
            return (UInt64(UInt16(bigEndian: raw.loadUnaligned(as: UInt16.self))), 2)
        case Information.fourBytes where left >= 4:
            return (UInt64(UInt32(bigEndian: raw.loadUnaligned(as: UInt32.self))), 4)
        case Information.eightBytes where left >= 8: return (UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)), 8)
        case Information.indefinite: return (0, 0)
        default: return nil
        }
    }
}

/// Tags that the coding supports (RFC 8949, section 3.4; RFC 9581); the content of any other tag is read as if it were
/// not tagged.
enum CBORTag: UInt8 {
    case none, dateText, epoch, positive, negative, decimal, uri, uuid, extendedTime
    /// One of the above around another.
    case several

    /// The tag of a number on the wire.
    init(number: UInt64) {
        switch number {
        case 0: self = .dateText
        case 1: self = .epoch
        case 2: self = .positive
        case 3: self = .negative
        case 4: self = .decimal
        case 32: self = .uri
        case 37: self = .uuid
        case 1001: self = .extendedTime
        default: self = .none
        }
    }

    /// Its number on the wire.
    var number: UInt64 {
        switch self {
        case .dateText: 0
        case .epoch: 1
        case .positive: 2
        case .negative: 3
        case .decimal: 4
        case .uri: 32
        case .uuid: 37
        case .extendedTime: 1001
        case .none, .several: 55799  // "self-described CBOR", which is ignored
        }
    }
}
