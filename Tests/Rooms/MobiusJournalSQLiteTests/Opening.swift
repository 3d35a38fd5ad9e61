import FleetTestSupport
import Foundation
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import Testing

/// Opens a journal as the program `torture`.
@discardableResult
func open(_ path: String, application: String = "torture") throws -> SQLiteJournal {
    try SQLiteJournal(path: path, application: application, build: "test")
}

/// The last event of the loop in a journal that is not open.
func last(_ path: String) throws -> UInt64? {
    let journal = try open(path)
    defer { journal.close() }
    return try RecoveredLoop.read(.main, from: journal).loop.lastSequence
}

/// Expects a ``JournalError`` of `code` whose text has the words.
func expect(
    _ code: JournalError.Code, _ words: String..., location: SourceLocation = #_sourceLocation,
    from body: () throws -> some Any
) {
    let error = #expect(throws: JournalError.self, sourceLocation: location) { _ = try body() }
    #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
    for word in words {
        #expect(error?.description.contains(word) == true, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
    }
}

/// The files of a folder, sorted.
func names(in folder: TestFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
}
