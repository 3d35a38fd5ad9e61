import MobiusLauncher
import Testing

/// Lines of two replays, as `mobius compare` gets them.
@Suite struct BuildComparisonTests {
    /// Compares two replays to their ends.
    private func compare(_ new: [String], _ old: [String]) throws -> BuildComparison {
        func lines(_ texts: [String]) -> ArraySlice<ArraySlice<UInt8>> {
            (texts + [#"{"loop":"","end":true}"#]).map { Array($0.utf8)[...] }[...]
        }
        var (ours, theirs, comparison) = (lines(new), lines(old), BuildComparison())
        while let mine = ours.first, let its = theirs.first {
            let advance = try comparison.compare(mine, its)
            if advance != .old { ours.removeFirst() }
            if advance != .new { theirs.removeFirst() }
        }
        return comparison
    }

    private func line(_ loop: String, _ sequence: Int, _ event: String, _ changed: String...) -> String {
        let fields = changed.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"loop":"\#(loop)","sequence":\#(sequence),"event":"\#(event)","changed":[\#(fields)]}"#
    }

    @Test func loopsOfOneReplayAreCountedAndTheOthersCompared() throws {
        let (one, three) = (line("o/1", 0, "start", "a 1"), line("o/3", 0, "start", "a 1"))
        for (new, old) in [([line("o/2", 0, "start", "a 1")], []), ([], [line("o/2", 0, "start", "a 1")])] {
            let found = try compare([one] + new + [line("o/3", 0, "start", "a 2")], [one] + old + [three])
            #expect(found.isComplete && found.loops == 2 && found.unmatched == 1)
            #expect(found.groups.map(\.first) == ["o/3"] && found.groups.first?.parting.fields == ["a"])
        }
    }

    @Test func eventsThatOneReplayHasMoreAreNoDifference() throws {
        let begun = [line("o/1", 0, "start", "a 1"), line("o/1", 1, "set", "a 2")]
        let next = line("o/2", 0, "start", "a 1")
        for (new, old) in [(begun + [next], begun.dropLast() + [next]), (begun.dropLast() + [next], begun + [next])] {
            let found = try compare(Array(new), Array(old))
            #expect(found.groups.isEmpty && found.loops == 2 && found.events == 2 && found.uncompared == 0)
        }
        #expect(try compare(Array(begun.dropLast()), begun).uncompared == 0)
    }

    @Test func aFieldThatComesLaterInTheOtherBuildIsNone() throws {
        let found = try compare(
            [line("o/1", 0, "start", "a 1", "limit 1"), line("o/1", 1, "set", "limit 14")],
            [line("o/1", 0, "start", "a 1"), line("o/1", 1, "set", "limit 7")])
        #expect(found.groups.map(\.sequence) == [1] && found.groups.first?.parting.fields == ["limit"])
        #expect(found.newFields["o"] == [])
    }

    @Test func aReplayThatIsCutOffIsNotComplete() throws {
        var comparison = BuildComparison()
        let only = Array(line("o/1", 0, "start", "a 1").utf8)[...]
        _ = try comparison.compare(only, only)
        #expect(!comparison.isComplete)
        #expect(throws: DecodingError.self) { try comparison.compare(Array("hello".utf8)[...], only) }
    }

    @Test func otherSnapshotsAreNotCompared() throws {
        let found = try compare(
            [line("o/1", 4, "snapshot", "a 1", "b 1"), line("o/1", 5, "set", "a 2")],
            [line("o/1", 3, "snapshot", "a 0", "b 1"), line("o/1", 4, "set", "a 1"), line("o/1", 5, "set", "a 2")])
        #expect(found.groups.isEmpty && found.uncompared == 1)
        #expect(found.reason == "The journal of loop o/1 was cut between the starts of the replays.")
    }

    @Test func failuresOfOneKindAreOneGroup() throws {
        func failing(_ loop: String, _ event: Int) -> [String] {
            [line(loop, 0, "start"), #"{"loop":"\#(loop)","error":"Loop \#(loop): cannot read event \#(event)"}"#]
        }
        func going(_ loop: String) -> [String] { [line(loop, 0, "start"), line(loop, 1, "set", "a 1")] }
        let found = try compare(failing("o/1", 11) + failing("o/2", 22), going("o/1") + going("o/2"))
        #expect(found.groups.map(\.loops) == [2] && found.groups.first?.reason == "Loop o/1: cannot read event 11")
    }
}
