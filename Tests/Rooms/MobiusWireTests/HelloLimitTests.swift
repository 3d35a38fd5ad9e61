import MobiusWire
import Testing

@Suite("A HELLO names a bounded number of things")
struct HelloLimitTests {
    @Test("as many as are allowed are read")
    func atTheLimit() throws {
        let hello = hello { hello in
            hello.pools = names(Hello.maximumPools)
            hello.contentTypes = names(Hello.maximumContentTypes)
            hello.versions = Array(repeating: 1, count: Hello.maximumVersions)
            hello.effectTypes = names(Hello.maximumEffectTypes)
        }
        #expect(try AnyMessage(decoding: hello.encoded) == hello)
    }

    @Test("one more is refused, whatever it is one more of")
    func beyondTheLimit() {
        let pools = hello { $0.pools = names(Hello.maximumPools + 1) }
        #expect(error(of: pools.encoded) == WireError(.invalidField, "more than 256 pools"))
        let contentTypes = hello { $0.contentTypes = names(Hello.maximumContentTypes + 1) }
        #expect(error(of: contentTypes.encoded) == WireError(.invalidField, "more than 64 content types"))
        let effectTypes = hello { $0.effectTypes = names(Hello.maximumEffectTypes + 1) }
        #expect(error(of: effectTypes.encoded) == WireError(.invalidField, "more than 256 types of effects"))
        let versions = hello { $0.versions = Array(repeating: 1, count: Hello.maximumVersions + 1) }
        #expect(error(of: versions.encoded) == WireError(.invalidField, "more than 255 versions"))
    }

    private func names(_ count: Int) -> [String] { (0..<count).map { "name \($0)" } }

    private func hello(_ change: (inout Hello) -> Void) -> AnyMessage {
        var hello = Hello(
            incarnation: Incarnation(high: 1, low: 2), pools: ["pool"], build: "b", contentTypes: [], creditTotal: 1)
        change(&hello)
        return .worker(Envelope(epoch: 0, session: 0, message: .hello(hello)))
    }
}
