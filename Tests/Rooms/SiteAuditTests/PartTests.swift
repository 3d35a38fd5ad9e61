import Foundation
import MobiusCore
import SiteAudit
import Testing

/// A report in parts: bounded, a few at a time, repeatable.
@Suite struct PartTests {
    /// A site whose 10 pages have 2,500 broken links of 200 bytes, which nobody has to ask for: half a megabyte.
    private static let large: FakeSite = {
        var site = FakeSite()
        site.page("http://site/", (0..<10).map { FakeSite.Link(written: "\($0).html") } + ["moved"])
        let long = String(repeating: "long-", count: 35)
        for page in 0..<10 {
            let links = (0..<250).map { FakeSite.Link(written: "http://[\(long)\(page * 250 + $0)") }
            site.page("http://site/\(page).html", links)
        }
        site.redirect("http://site/moved", to: "http://site/")
        return site
    }()

    private static func parts(_ effects: [Audit.Effect]) -> [ReportPart] {
        effects.compactMap { if case .writePart(let part) = $0 { part } else { nil } }
    }

    @Test func noPartIsLargerThanAPayloadMayBe() throws {
        let run = AuditRun.of(Self.large)
        #expect(run.report?.broken.count == 2500)
        #expect(run.report?.redirects.count == 1)
        #expect(run.parts.count > 8)
        #expect(run.parts.map(\.number) == Array(0..<run.parts.count))
        for part in run.parts {
            let bytes = try JSONEncoder().encode(Audit.Effect.writePart(part)).count
            #expect(bytes < 66_000)
        }
        #expect(run.mostParts == 4, "a window of them is under way")
    }

    @Test(arguments: [Int.min, 4 << 10, 20_000, Int.max])
    func aFleetsLowerLimitIsKept(limit: Int) throws {
        let run = AuditRun.of(Self.large) { $0.payloadLimit = limit }
        #expect(run.report?.broken.count == 2500)
        for part in run.parts {
            let bytes = try JSONEncoder().encode(Audit.Effect.writePart(part)).count
            #expect(bytes <= min(max(limit, 4 << 10), 66_000))
        }
    }

    @Test func aRowOfEndlessTextsIsAPartOfItsOwnAtMost() throws {
        var site = FakeSite()
        let endless = String(repeating: "ü", count: 100_000)
        site.page(
            "http://site/",
            [FakeSite.Link(written: "http://[\(endless)"), FakeSite.Link(written: "#\(endless)"), "x.html"])
        let run = AuditRun.of(site)
        let rows = try #require(run.report).rows
        #expect(rows.count == 3)
        #expect(rows.allSatisfy { $0.link.utf8.count <= ReportRow.longestText + 3 })
        #expect(rows.allSatisfy { $0.note.utf8.count <= ReportRow.longestText + 3 })
        for part in run.parts { #expect(try JSONEncoder().encode(part).count < 66_000) }
    }

    @Test func eachAnswerCostsOnePart() throws {
        var run = AuditRun(Self.large)
        run.send(.auditRequested(AuditRun.request()))
        while run.parts.isEmpty { run.answerNext() }
        var sent = run.parts.count
        #expect(sent == 4)
        while case .writePart(let part)? = run.pending.first {
            run.answerNext()
            #expect(run.parts.count - sent <= 1)
            sent = run.parts.count
            #expect(run.send(.partWritten(report: part.report, number: part.number)) == .noChange, "told twice")
        }
        #expect(run.send(.partWritten(report: "another", number: 0)) == .noChange)
        #expect(run.send(.partWritten(report: "first", number: .max)) == .noChange)
        guard case .assembleReport(let assembly)? = run.pending.first else {
            return #expect(Bool(false), "no assembly")
        }
        #expect(assembly.parts == sent)
        #expect(run.pending.count == 1)
    }

    @Test func whatAWriterLostIsSentAgainAsItWas() throws {
        var run = AuditRun(Self.large)
        run.send(.auditRequested(AuditRun.request()))
        while run.pending.contains(where: { if case .assembleReport = $0 { false } else { true } }) { run.answerNext() }
        let first = run.parts
        run.restart()
        let missing = Self.parts(run.send(.partsMissing(report: "first", numbers: [7, 2, .min, 7, .max, 900])).effects)
        #expect(missing == [first[2], first[7]])
        run.send(.partWritten(report: "first", number: 7))
        let end = run.send(.partWritten(report: "first", number: 2)).effects
        guard case .assembleReport? = end.first else { return #expect(Bool(false), "\(end)") }
        #expect(run.send(.partsMissing(report: "another", numbers: [1])) == .noChange)
    }

    @Test func aWriterThatLosesPartsForEverFails() {
        var run = AuditRun(Self.large)
        run.send(.auditRequested(AuditRun.request()))
        while run.finishes.isEmpty {
            if case .assembleReport? = run.pending.first {
                run.pending.removeFirst()
                run.send(.partsMissing(report: "first", numbers: [0]))
            } else {
                run.answerNext()
            }
        }
        guard case .reportFailed(let sentence) = run.finishes[0].outcome else { return #expect(Bool(false), "written") }
        #expect(sentence.contains("lose"))
    }

    @Test func theFailureOfAnOlderReportDoesNotEndTheNextOne() {
        var run = AuditRun(Self.large)
        run.canWrite = false
        run.send(.auditRequested(AuditRun.request(id: "first")))
        while run.finishes.isEmpty { run.answerNext() }
        let late = run.pending
        #expect(late.isEmpty == false, "parts were under way when the first failed")
        run.pending = []
        run.canWrite = true
        run.send(.auditRequested(AuditRun.request(id: "second") { $0.reportDirectory = "/roomy" }))
        #expect(run.send(.reportFailed("no space left", report: "first")) == .noChange)
        run.answerAll()
        #expect(run.files?.json == "/roomy/report.json")
        #expect(run.summary?.broken == 2500)
    }

    @Test(arguments: 1...5)
    func whateverIsLostTheReportIsTheSame(seed: UInt64) {
        let plain = AuditRun.of(Self.large)
        let other = AuditRun.of(Self.large, order: .shuffled(seed: seed))
        #expect(other.report == plain.report)
        #expect(other.summary == plain.summary)
    }
}

/// Rows on their way.
@Suite struct RowTests {
    private func rows(_ count: Int, seed: UInt64) -> [ReportRow] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            let page = "http://site/\(Int.random(in: 0..<5, using: &generator))"
            let status = Bool.random(using: &generator) ? 404 : nil
            return Bool.random(using: &generator)
                ? .broken(page, "http://x/ü\u{0}", line: number, "“é”", status, group: number % 3 == 0 ? 3 : nil)
                : .redirect(page, "http://x/y", line: number, "http://x/e\u{301}", 301)
        }
    }

    @Test func rowsAreReadBackAndDamagedOnesAreAnError() throws {
        let rows = ReportRows(rows(50, seed: 1) + [.unread("http://site/", "too large", group: 1)])
        let data = try JSONEncoder().encode(rows)
        #expect(try JSONDecoder().decode(ReportRows.self, from: data) == rows)
        // A power failure leaves the beginning of a file, or zeros in place of some of it.
        for place in stride(from: 0, to: data.count, by: 7) {
            var zeroed = data
            zeroed.resetBytes(in: place..<min(place + 20, data.count))
            for damaged in [data.prefix(place), zeroed] {
                #expect(throws: DecodingError.self) { try JSONDecoder().decode(ReportRows.self, from: damaged) }
            }
        }
        for numbers in [
            "[0, 0, 1, 0, 0, 0]", "[0, 0, 1, 0, 1, 0, 0]", "[9, 0, 1, 0, 0, 0, 0]", "[0, -1, 1, 0, 0, 0, 0]",
        ] {
            let json = Data("{\"texts\": [\"x\"], \"numbers\": \(numbers)}".utf8)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(ReportRows.self, from: json) }
        }
    }
}
