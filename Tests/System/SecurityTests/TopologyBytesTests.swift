import MobiusLauncher
import TestTraits
import Testing

/// Topology files of any content are topologies, or mistakes that are named.
@Suite(.ownThread)
struct TopologyBytesTests {
    private static let whole = """
        name: shop
        endpoint: tcp://127.0.0.1:5701
        coordinator:
          command: [/bin/true, --journal, shop.journal]
          environment: {A: "1", B: two}
        pools:
          mailer: {command: [/bin/true, --quiet], replicas: 3, concurrency: 4}
          "printer-2":
            command:
              - /bin/true
            restart: on-failure
            health: {command: [test, -e, /tmp/x], every: 5s}
        """

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func anythingIsReadOrRefused(seed: UInt64) throws {
        var random = Seeded(state: seed)
        let pieces = [
            "\t", "- ", ": ", "{", "]", "&a ", "*a ", "!!map ", "\u{0}", "\u{FEFF}", "99999999999999999999", "é",
        ]
        var readable = 0
        for _ in 0..<2000 {
            var text = Array(Self.whole.unicodeScalars)
            for _ in 0...Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0...text.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: text.removeSubrange(place..<min(text.count, place + .random(in: 0...20, using: &random)))
                case 1:
                    text.insert(
                        contentsOf: pieces.randomElement(using: &random)?.unicodeScalars ?? "".unicodeScalars, at: place
                    )
                case 2: text.insert(contentsOf: text.shuffled(using: &random).prefix(10), at: place)
                default: text.removeSubrange(place...)
                }
            }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: text)
            if (try? TopologyReader.parse(String(view), file: "f.yaml")) != nil { readable += 1 }
        }
        // Both answers must come, or the changes are too wild or too tame.
        #expect((1..<2000).contains(readable), "\(readable)")
    }
}

/// A generator with a seed (Steele, Lea and Flood 2014).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
