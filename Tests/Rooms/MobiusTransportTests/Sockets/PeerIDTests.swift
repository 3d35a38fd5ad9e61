import MobiusTransport
import Testing

@Suite struct PeerIDTests {
    @Test func anIDHoldsFrom1To255Bytes() {
        for count in 1...255 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            let id = PeerID(bytes)
            #expect(id?.bytes == bytes)
            #expect(id?.count == count)
        }
        #expect(PeerID([]) == nil)
        #expect(PeerID([UInt8](repeating: 1, count: 256)) == nil)
    }

    @Test func idsDifferInLengthAndContent() {
        let ids = (1...20).flatMap { count in
            (0...2).map { [UInt8](repeating: $0, count: count) }
        }
        #expect(Set(ids.compactMap { PeerID($0) }).count == ids.count)
        for id in ids { #expect(PeerID(id) == PeerID(id)) }
        #expect(PeerID() != PeerID([0]))
    }

    @Test func anIDShowsAsHexadecimal() {
        #expect(PeerID([0, 0x8A, 0x10, 0xFF])?.description == "008a10ff")
        #expect(PeerID().description == "none")
        #expect(PeerID().count == 0)
    }
}
