import MobiusEngine
import Testing

/// Whether an owner at several addresses has ended.
struct AddressAnswerTests {
    @Test func `an endpoint refuses when each of its addresses does`() {
        #expect(AddressAnswer.isRefused([.refused]))
        #expect(AddressAnswer.isRefused([.refused, .refused]))
    }

    @Test func `one address that is silent or accepts may be the one at which the process listens`() {
        for other in [AddressAnswer.accepted, .silent] {
            #expect(!AddressAnswer.isRefused([other]))
            #expect(!AddressAnswer.isRefused([.refused, other]))
            #expect(!AddressAnswer.isRefused([other, .refused]))
        }
    }

    @Test func `an endpoint without addresses says nothing`() { #expect(!AddressAnswer.isRefused([])) }
}
