import FleetTestSupport
import Foundation
import MobiusProcess
import Testing

@Suite struct RunningCoordinatorsTests {
    private let folder: TestFolder
    private var environment: [String: String] { ["MOBIUS_RUNTIME_DIR": folder.path] }
    private var list: String { folder.file("mobius-coordinators-\(geteuid())") }

    init() throws {
        folder = try TestFolder()
    }

    @Test func oneIsFoundAsLongAsItIsAnnounced() throws {
        var first = RunningCoordinators.announce(program: "shop", endpoint: "tcp://0.0.0.0:5702", in: environment)
        let second = RunningCoordinators.announce(program: "bank", endpoint: "ipc:///run/b-client", in: environment)
        #expect(first != nil && second != nil)
        let found = RunningCoordinators.all(in: environment)
        #expect(found.map(\.program) == ["bank", "shop"])
        #expect(found.map(\.endpoint) == ["ipc:///run/b-client", "tcp://127.0.0.1:5702"])
        #expect(Set(found.map(\.pid)) == [getpid()])
        first = nil
        #expect(RunningCoordinators.all(in: environment).map(\.program) == ["bank"])
        withExtendedLifetime(second) {}
    }

    @Test func aFileWhoseProcessHasEndedIsRemoved() throws {
        let living = RunningCoordinators.announce(program: "shop", endpoint: "ipc:///run/s", in: environment)
        let left = "\(list)/4711.0"
        try Data(#"{"program":"old","endpoint":"ipc:///run/o","pid":4711}"#.utf8).write(to: URL(fileURLWithPath: left))
        #expect(RunningCoordinators.all(in: environment).map(\.program) == ["shop"])
        #expect(!FileManager.default.fileExists(atPath: left))
        withExtendedLifetime(living) {}
    }

    @Test func aFolderThatOthersCanWriteIsIgnored() throws {
        let living = RunningCoordinators.announce(program: "shop", endpoint: "ipc:///run/s", in: environment)
        #expect(chmod(list, 0o777) == 0)
        #expect(RunningCoordinators.all(in: environment) == [])
        #expect(RunningCoordinators.announce(program: "bank", endpoint: "ipc:///run/b", in: environment) == nil)
        withExtendedLifetime(living) {}
    }
}
