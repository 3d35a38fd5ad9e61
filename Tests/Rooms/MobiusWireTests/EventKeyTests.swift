import MobiusWire
import Testing

/// Keys under which shards send events to each other.
@Suite struct EventKeyTests {
    @Test(arguments: ["main", "order/4711", "a/b/c", "effect ", "/", "ö/ü", " "])
    func theSenderIsInTheKey(name: String) throws {
        let sender = try #require(LoopID(name))
        let key = EventKey.delivery(of: EffectID(loop: sender, sequence: .max, index: 3))
        #expect(EventKey.sender(of: key) == sender)
    }

    @Test(arguments: ["", "a key", "effect", "effect ", "effect /", "effect 1/2", "effect //", "Effect a/1/2"])
    func otherKeysHaveNone(key: String) { #expect(EventKey.sender(of: key) == nil) }
}
