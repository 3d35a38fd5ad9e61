/// Numbers of keys, so that their cached names are found without asking the keys.
///
/// Keys are nearly always enums without values, whose cases differ in one byte. The name of a key is assumed to be
/// constant.
struct KeyNumbers {
    /// The number of numbers; a key with a larger byte has none.
    static let count = 16

    private let size: Int

    /// Of keys of this type.
    init<Key: CodingKey>(_ type: Key.Type) {
        size = _isPOD(Key.self) ? MemoryLayout<Key>.size : Int.max
    }

    /// The number of a key of that type.
    @inline(__always)
    func number(of key: some CodingKey) -> Int? {
        if size == 0 { return 0 }  // the only one
        guard size == 1 else { return nil }
        let byte = unsafeBitCast(key, to: UInt8.self)
        return byte < Self.count ? Int(byte) : nil
    }
}

/// A short name, or how one is written, in words: what is compared and copied in a few steps.
struct NameBytes {
    static let capacity = 24

    /// The number of bytes; 0 where nothing is known.
    private(set) var count = 0
    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)

    /// Nothing.
    init() {}

    /// These bytes, unless they are many.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count <= Self.capacity else { return }
        count = bytes.count
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
    }

    /// Whether so many bytes at another place are these.
    @inline(__always)
    func isEqual(_ bytes: UnsafePointer<UInt8>) -> Bool {
        // Behind the last byte there are zeros.
        if count < 8 { return JSONText.fewBytes(bytes, count) == UInt64(littleEndian: words.0) }
        let start = UnsafeRawPointer(bytes)
        guard start.loadUnaligned(as: UInt64.self) == words.0 else { return false }
        if count < 16 { return JSONText.fewBytes(bytes + 8, count &- 8) == UInt64(littleEndian: words.1) }
        guard start.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == words.1 else { return false }
        if count < 24 { return JSONText.fewBytes(bytes + 16, count &- 16) == UInt64(littleEndian: words.2) }
        return start.loadUnaligned(fromByteOffset: 16, as: UInt64.self) == words.2
    }

    /// Writes all words; the bytes behind the last mean nothing.
    @inline(__always)
    func write(to place: UnsafeMutablePointer<UInt8>) {
        let place = UnsafeMutableRawPointer(place)
        place.storeBytes(of: words.0, as: UInt64.self)
        place.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        place.storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
    }
}
