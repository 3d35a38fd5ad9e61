import MobiusEngine
import MobiusWire
import Testing

/// Beside a sorted array.
@Suite struct LoopDirectoryTests {
    private func names(_ directory: LoopDirectory, prefix: String = "", after: LoopID? = nil) -> [String] {
        var names: [String] = []
        directory.visit(prefix: prefix, after: after) {
            names.append($0.name)
            return true
        }
        return names
    }

    @Test(arguments: [false, true])
    func `it holds the names in the order of their bytes, however they come and go`(inOrder: Bool) {
        var random = SplitMix64(seed: 7)
        var directory = LoopDirectory()
        var expected: Set<String> = []
        var all = (0..<3000).map { "\(["a/", "ä/", "b", "🍏"][$0 % 4])\(random.next() % 5000)" }
        if inOrder { all.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        for name in all {
            directory.insert(LoopID(name)!)
            expected.insert(name)
        }
        for name in all where random.next() % 3 == 0 {
            directory.remove(LoopID(name)!)
            expected.remove(name)
        }
        let sorted = expected.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(directory.count == sorted.count)
        #expect(names(directory) == sorted)
        for prefix in ["a/", "a/1", "ä/49", "b", "c", "🍏3", "a", "zz", "🍐"] {
            #expect(names(directory, prefix: prefix) == sorted.filter { $0.utf8.starts(with: prefix.utf8) })
        }
        for position in stride(from: 0, to: sorted.count, by: 97) {
            #expect(names(directory, after: LoopID(sorted[position])) == Array(sorted[(position + 1)...]))
        }
        #expect(names(directory, prefix: "b", after: LoopID("a/1")) == sorted.filter { $0.hasPrefix("b") })
        #expect(names(directory, prefix: "a/", after: LoopID("b")) == [])
        #expect(names(directory, after: LoopID("a/1x")) == sorted.filter { LoopDirectoryTests.isAfter($0, "a/1x") })
    }

    private static func isAfter(_ name: String, _ other: String) -> Bool {
        other.utf8.lexicographicallyPrecedes(name.utf8)
    }

    @Test func `an empty one has no names`() {
        var directory = LoopDirectory()
        #expect(names(directory, prefix: "a", after: .main) == [])
        directory.insert(.main)
        directory.insert(.main)
        #expect(directory.count == 1)
        directory.remove(.main)
        directory.remove(.main)
        #expect(directory.count == 0 && names(directory) == [])
    }
}
