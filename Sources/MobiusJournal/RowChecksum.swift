/// A checksum of a row's content, so that damage by a disk is detected and never replayed: SQLite checks the structure
/// of its pages, not their content.
///
/// It is inlined, because it is computed for every event.
///
/// It detects accidents, not attacks, and takes eight bytes per step: FNV-1a over single bytes costs six times as much.
package struct RowChecksum {
    @usableFromInline var state: UInt64 = 0x4d6f_6269_7573_0001

    /// The sum of nothing.
    @inlinable package init() {}

    /// The sum as SQLite keeps it.
    @inlinable package var value: Int64 { Int64(bitPattern: state) }

    @inlinable package mutating func add(_ number: UInt64) {
        state = (state ^ number) &* 0x9e37_79b9_7f4a_7c15
        state ^= state >> 32
    }

    /// Adds a number as SQLite keeps it.
    @inlinable package mutating func add(_ number: Int64) {
        add(UInt64(bitPattern: number))
    }

    /// Adds bytes and their number, so that bytes cannot move from one column to the next.
    @inlinable package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var position = 0
        while position + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        guard position < bytes.count else { return }
        var rest: UInt64 = 0
        for byte in bytes[position...].reversed() {
            rest = rest << 8 | UInt64(byte)
        }
        add(rest)
    }

    /// Adds the text's bytes.
    @inlinable package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }
}
