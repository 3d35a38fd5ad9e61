import Counter
import CounterTerminal
import FleetTestSupport
import Foundation
import MobiusProcess
import Testing

/// What is kept between the runs of a process.
struct StateFileTests {
    private let folder: TestFolder
    private let file: StateFile

    init() throws {
        folder = try TestFolder()
        file = StateFile(path: folder.file("state"))
    }

    @Test func noFileIsNoModel() throws {
        #expect(try file.load() == nil)
    }

    @Test func whatWasSavedIsLoaded() throws {
        for model in [Counter.Model(count: 5), Counter.Model(count: 7, complaint: "timed out")] {
            try file.save(model)
            #expect(try file.load() == model)
        }
    }

    @Test(arguments: ["", "[]", "{}", #"{"count":-1}"#, #"{"count":9223372036854775807}"#, "\u{0}"])
    func whatIsNoModelIsRefused(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
        let exit = #expect(throws: FleetExit.self) { try file.load() }
        #expect(exit?.code == .dataError)
        #expect(exit?.sentence.contains(file.path) == true)
    }

    @Test func aFileThatCannotBeWrittenOrReadIsTold() {
        let lost = StateFile(path: folder.file("no/such/folder"))
        #expect(#expect(throws: FleetExit.self) { try lost.save(Counter.Model()) }?.code == .cannotCreate)
        let aFolder = StateFile(path: folder.path)
        #expect(#expect(throws: FleetExit.self) { try aFolder.load() }?.code == .noInput)
    }
}
