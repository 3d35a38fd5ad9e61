import FleetTestSupport
import Foundation
import MobiusJournal
import TestTraits
import Testing

/// Two builds on one journal, of which one does one thing in another way.
@Suite(.patient)
struct CompareTests {
    private struct Report: Decodable {
        struct Group: Decodable {
            let parting: Parting
            let loops: Int
            let first: String
            let sequence: UInt64?
            let difference: [String]?
            let reason: String?
        }

        struct Parting: Decodable {
            let kind: String
            let event: String
            let fields: [String]
            let newEffects: [String]
            let goneEffects: [String]
            let changedEffects: [String]
            let failure: String?
        }

        let loops: Int
        let events: Int
        let parted: Int
        let uncompared: Int
        let reason: String?
        let newFields: [String: [String]]
        let goneFields: [String: [String]]
        let groups: [Group]
    }

    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// The journal that a build without differences has written, of twelve loops with eight events each.
    private func journal() async throws -> String {
        let writer = try TestProcess(
            "planted-coordinator",
            ["--bind", "ipc://\(folder.file("s"))", "--journal", folder.file("journal"), "--keep-history"])
        #expect(try await writer.end() == .exited(0))
        return folder.file("journal")
    }

    /// The command that runs the build with this difference.
    private func build(_ difference: String) throws -> String {
        let path = folder.file("build \(difference)")
        let executable = try TestProcess.executable("planted-coordinator").path
        try "#!/bin/sh\nPLANTED='\(difference)' exec '\(executable)' \"$@\"\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private func compare(
        _ journal: String, _ difference: String, against: String? = "", _ options: String...
    ) async throws -> (end: TestProcess.End, lines: [String]) {
        let old = try against.map { ["--against", try build($0)] } ?? []
        let process = try TestProcess("mobius", ["compare", journal, "--with", try build(difference)] + old + options)
        let end = try await process.end()
        return (end, process.output.elements)
    }

    private func report(_ journal: String, _ difference: String, against: String? = "") async throws -> Report {
        let (_, lines) = try await compare(journal, difference, against: against, "--json")
        return try JSONDecoder().decode(Report.self, from: Data(lines.joined().utf8))
    }

    @Test func eachOfTwentyDifferencesIsFoundAtItsEvent() async throws {
        let journal = try await journal()
        // What differs, at which event, in which fields, and which effects are new, gone and others.
        let planted: [(String, UInt64, String, String)] = [
            ("start", 0, "balance", ""), ("start effect", 0, "", "+mail"), ("rounding", 1, "balance", ""),
            ("no mail", 1, "", "-mail"), ("other mail", 1, "", "~mail"), ("city", 2, "cities", ""),
            ("fee", 4, "balance", "~bill"), ("bill", 4, "", "~bill"), ("no bill", 4, "", "-bill"),
            ("order", 4, "", "~bill ~mail"), ("forget city", 4, "cities", ""), ("note twice", 5, "notes", ""),
            ("sorted", 5, "notes", ""), ("bonus", 6, "balance", ""), ("stage", 7, "stage", ""),
            ("new effect", 7, "", "+mail"), ("no archive", 7, "", "-archive"), ("two archives", 7, "", "+archive"),
        ]
        for (difference, sequence, fields, effects) in planted {
            let report = try await report(journal, difference)
            let group = try #require(report.groups.first, "\(difference)")
            #expect(report.groups.count == 1 && group.loops == 12 && report.parted == 12, "\(difference)")
            #expect(report.loops == 12 && report.events == 12 * 8, "\(difference)")
            #expect(group.first == "account/1" && group.sequence == sequence, "\(difference)")
            #expect(group.parting.kind == "account" && group.parting.fields.joined(separator: " ") == fields)
            let found =
                group.parting.newEffects.map { "+\($0)" } + group.parting.goneEffects.map { "-\($0)" }
                + group.parting.changedEffects.map { "~\($0)" }
            #expect(found.joined(separator: " ") == effects, "\(difference)")
            #expect((group.difference ?? []).isEmpty == fields.isEmpty, "\(difference)")
        }
        let unreadable = try await report(journal, "unreadable")
        #expect(unreadable.groups.map(\.loops) == [12])
        #expect(unreadable.groups.first?.reason?.contains("Loop account/1: this build cannot read event 5") == true)
        let trap = try await report(journal, "trap")
        #expect(trap.groups.map(\.first) == ["account/1"] && trap.groups.map(\.sequence) == [4])
        #expect(trap.groups.first?.parting.event == "spent")
        #expect(trap.groups.first?.reason?.contains("it ended with signal") == true)
    }

    @Test func whatIsEqualIsSaidToBe() async throws {
        let journal = try await journal()
        for against in ["", nil] {
            let (end, lines) = try await compare(journal, "", against: against)
            #expect(end == .exited(0))
            #expect(lines.last?.hasSuffix("do the same: 96 events of 12 loops compared") == true, "\(lines)")
        }
        // A new field is no difference, but is told, in both directions.
        let added = try await report(journal, "field")
        #expect(added.groups.isEmpty && added.newFields == ["account": ["limit"]] && added.goneFields.isEmpty)
        let gone = try await report(journal, "", against: "field")
        #expect(gone.groups.isEmpty && gone.goneFields == ["account": ["limit"]] && gone.newFields.isEmpty)
        // What the old build cannot replay is not said to be equal.
        let blind = try await report(journal, "", against: "unreadable")
        #expect(blind.groups.isEmpty && blind.uncompared == 12)
        #expect(try await compare(journal, "", against: "unreadable").end == .exited(1))
        #expect(blind.reason?.contains("cannot read event 5") == true)
        // It hides none.
        let other = try await report(journal, "stage", against: "field")
        #expect(other.groups.map(\.sequence) == [7])
    }

    @Test func effectsAreComparedWithTheJournalsOwn() async throws {
        let journal = try await journal()
        let bill = try await report(journal, "no bill", against: nil)
        #expect(bill.groups.map(\.sequence) == [4] && bill.groups.first?.parting.goneEffects == ["bill"])
        // The journal has no models to compare with.
        #expect(try await report(journal, "stage", against: nil).groups.isEmpty)
    }

    @Test func peopleReadIt() async throws {
        let journal = try await journal()
        let (end, lines) = try await compare(journal, "fee")
        #expect(end == .exited(1))
        #expect(
            lines.dropLast() == [
                "12 loops of account/ part at spent: other model: balance; other effects: bill",
                "    first account/1, event 4", "    balance: -10 → -11",
            ])
        let (_, markdown) = try await compare(journal, "stage", "--markdown")
        #expect(
            markdown.last
                == "| 12 | <code>closed</code> | <code>other model: stage</code><br>"
                + "<code>stage: \"closed\" → \"ended\"</code> | <code>account/1, event 7</code> |")
    }

    @Test func whatCannotBeComparedIsSaid() async throws {
        let journal = try await journal()
        let none = try TestProcess("mobius", ["compare", journal, "--with", folder.file("nothing")])
        #expect(try await none.end() == .exited(69))
        let other = try TestProcess("mobius", ["compare", journal, "--with", "/bin/echo"])
        #expect(try await other.end() == .exited(70))
        #expect(other.errors.elements.joined().contains("is it a coordinator"))
        let silent = try TestProcess("mobius", ["compare", journal, "--with", "/bin/true"])
        #expect(try await silent.end() == .exited(70))
        let (end, _) = try await compare(folder.file("no journal"), "")
        #expect(end == .exited(70))
    }
}
