import MobiusWire
import Testing

@Suite("Slices of the loops")
struct SliceSetTests {
    /// The values of the hash are those of its authors' own test suite, modulo 1,024.
    @Test(
        "A loop's slice is its name's FNV-1a hash",
        arguments: [("a", 0xAF63_DC4C_8601_EC8C), ("b", 0xAF63_DF4C_8601_F1A5), ("foobar", 0x8594_4171_F739_67E8)]
            as [(String, UInt64)])
    func hash(name: String, hash: UInt64) throws {
        #expect(SliceSet.slice(of: try #require(LoopID(name))) == Int(hash % 1024))
    }

    @Test("A set has what was put into it, and reads its own bytes")
    func members() throws {
        var set = SliceSet(10..<20)
        set.insert(1023)
        set.remove(12)
        #expect(set.count == 10)
        #expect(!set.contains(12) && set.contains(1023) && !set.contains(1024) && !set.contains(-1))
        #expect(set.ranges == [10..<12, 13..<20, 1023..<1024])
        #expect(SliceSet(bytes: set.bytes) == set)
        #expect(set.bytes[1] == 0b1110_1100 && set.bytes[127] == 0x80)
        #expect(SliceSet(bytes: set.bytes.dropLast()) == nil)
        #expect(SliceSet.parts(3).map(\.ranges) == [[0..<341], [341..<682], [682..<1024]])
        #expect(SliceSet.parts(1) == [.all])
        #expect(SliceSet().isEmpty && SliceSet.all.count == 1024 && SliceSet.all.ranges == [0..<1024])
    }
}
