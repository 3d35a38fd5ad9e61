import TestTraits
import Testing

/// The rules, applied to this repository.
@Suite("The house keeps its rules", .ownThread)
struct HouseTests {
    private let house: Repository

    init() throws {
        house = try Repository.house.get()
    }

    @Test("a room imports only what its row allows")
    func importWalls() {
        #expect(house.sources.flatMap(ImportWalls.problems).listed == "")
        #expect(ImportWalls.problems(inRooms: house.rooms).listed == "")
    }

    @Test("rooms that decide never ask for time, chance or the outside world")
    func purity() {
        #expect(house.sources.flatMap(Purity.problems).listed == "")
    }

    @Test("programs keep their routes apart")
    func programs() {
        #expect(house.sources.flatMap(Programs.problems).listed == "")
    }

    @Test("the driver calls programs under a breadcrumb only")
    func unguardedCalls() {
        #expect(house.sources.flatMap(Programs.unguardedCalls).listed == "")
    }

    @Test("Package.swift names features the compiler knows, for every target")
    func manifest() {
        #expect(Manifest.problems(in: house.manifest).listed == "")
    }

    @Test("every public declaration is documented")
    func documentation() {
        #expect(house.sources.flatMap(PublicSymbols.problems).listed == "")
    }

    @Test("files are short and finished, watch no descriptor by libdispatch, and wait by no calendar")
    func habits() {
        let files = house.sources + house.tests
        // The manifest is a table with a row for each room: it may grow with the house.
        #expect(files.flatMap(Habits.longFiles).listed == "")
        #expect((files + [house.manifest]).flatMap(Habits.unfinishedWork).listed == "")
        #expect(files.flatMap(Habits.descriptorSources).listed == "")
        #expect(house.sources.flatMap(Habits.calendarWaits).listed == "")
    }

    @Test("tests neither sleep nor look inside, and share one limit")
    func honestTests() {
        #expect(house.tests.flatMap(Habits.ownLimits).listed == "")
        #expect(house.tests.flatMap(Habits.sleeps).listed == "")
        #expect(house.tests.flatMap(Habits.testableImports).listed == "")
    }

    @Test("the top level and Tests hold fixed names only")
    func topLevel() {
        #expect(TopLevel.problems(in: house.topLevel).listed == "")
        #expect(TopLevel.problems(inTests: house.testFolders).listed == "")
    }

    @Test("the sources are found at all")
    func found() {
        #expect(house.sources.contains { $0.room == "MobiusWire" })
        #expect(house.tests.contains { $0.path == "Tests/Checks/ArchitectureTests/HouseTests.swift" })
    }
}

extension [Problem] {
    /// One line per problem, so that a failure prints the whole list readably.
    var listed: String { map(\.description).joined(separator: "\n") }
}
