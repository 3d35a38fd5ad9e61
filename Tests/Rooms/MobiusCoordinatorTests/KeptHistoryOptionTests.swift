import ArgumentParser
import MobiusCoordinator
import Testing

/// How much of the past is kept, as the command line says it.
@Suite struct KeptHistoryOptionTests {
    private func history(_ arguments: String...) throws -> KeptHistory {
        try CoordinatorOptions.parse(arguments).settings(name: "x").history
    }

    @Test func itIsAllOrAWindow() throws {
        #expect(try history() == .needed)
        for all in [["--keep-history"], ["--keep-history", "all"], ["--keep-history", "--max-loops", "5"]] {
            #expect(try CoordinatorOptions.parse(all).settings(name: "x").history == .all)
        }
        #expect(try history("--keep-history", "30d") == .window(HistoryWindow(age: .seconds(30 * 86_400))))
        #expect(try history("--keep-history=10GiB") == .window(HistoryWindow(bytes: 10 << 30)))
        let both = HistoryWindow(age: .seconds(12 * 3600), bytes: 1 << 20)
        #expect(try history("--keep-history", "1MiB,12h") == .window(both))
    }

    /// The parser would take them for the program's own arguments otherwise: a coordinator would begin with other events.
    @Test(arguments: ["nonsense", "30", "30d,12h", "1GiB,2GiB", "30d,", "-1d"])
    func anotherTextIsRefusedWithWhatIsMeant(_ text: String) {
        let error = #expect(throws: (any Error).self) { try history("--keep-history=\(text)") }
        let message = error.map { CoordinatorOptions.message(for: $0) } ?? ""
        #expect(message.contains("--keep-history must be all, a time such as 30d"), "\(message)")
        guard !text.hasPrefix("-") else { return }
        #expect(throws: (any Error).self) { try history("--keep-history", text) }
    }
}
