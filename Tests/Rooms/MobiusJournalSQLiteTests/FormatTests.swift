import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import TestTraits
import Testing

/// The number of a journal's format: it says which programs can read all its records.
@Suite("The format of a journal", .ownThread)
struct FormatTests {
    @Test("those of before 0.2 are refused with what to do, and left as they are", arguments: [3, 4])
    func older(format: Int) throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let journal = try open(path)
        try journal.commit([History.start])
        journal.close()
        try change(path, "PRAGMA user_version = \(format)")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let advice = "older format \(format), of before 0.2: go on with the build"
        expect(.foreign, advice) { try open(path) }
        expect(.foreign, advice) { try JournalInspector(path: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }
}
