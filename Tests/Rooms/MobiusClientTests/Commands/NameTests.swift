import FleetTestSupport
import Foundation
import TestTraits
import Testing

@Suite("Names on the command line", .patient)
struct NameTests {
    @Test(
        "A mistyped command is an error with the nearest name, at every level",
        arguments: [
            (["stauts"], "mobius has no command 'stauts'. Did you mean 'status'? It has: up, "),
            (["dead", "lst", "--json"], "mobius dead has no command 'lst'. Did you mean 'list'? It has: list, show, "),
            (["help", "journal", "shwo"], "mobius journal has no command 'shwo'. Did you mean 'show'? It has: info, "),
            (["bananas"], "mobius has no command 'bananas'. It has: up, "),
        ])
    func unknown(words: [String], sentence: String) async throws {
        let run = try await Command.mobius(words)
        #expect(run.end == .exited(64))
        #expect(run.errors.first?.hasPrefix("Error: \(sentence)") == true, "\(run.errors)")
    }

    @Test("Every command is known", arguments: [["help"], ["help", "dead"], ["keys"]])
    func known(words: [String]) async throws {
        let run = try await Command.mobius(words)
        #expect(run.end == .exited(0))
        #expect((run.output + run.errors).contains { $0.hasPrefix("USAGE: mobius ") })
    }

    @Test("The version as a sentence, and as JSON")
    func version() async throws {
        let json = try await Command.mobius("version", "--json")
        #expect(json.output.count == 1)
        #expect(json.output[0].hasPrefix(#"{"version":""#))
    }

    @Test("A coordinator and a worker go by the names of their files, whatever their types are called")
    func executables() async throws {
        let folder = try TestFolder()
        for (name, executable) in [("door", "greeter-coordinator"), ("butler", "greeter-worker")] {
            let path = folder.file(name)
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: try TestProcess.executable(executable).path)
            let help = try TestProcess(path, ["--help"])
            #expect(try await help.end() == .exited(0))
            #expect(help.output.elements.contains { $0.hasPrefix("USAGE: \(name) ") })
            let version = try TestProcess(path, ["--version"])
            #expect(try await version.end() == .exited(0))
            #expect(version.output.elements.first?.hasPrefix("\(name) (Mobius Fleet ") == true)
            let option = name == "door" ? "--bind" : "--connect"
            let process = try TestProcess(path, [option, "ipc://\(folder.file("s"))"], in: folder.path)
            try await process.log("info \(name): ")
            try await process.kill()
        }
        // The journal keeps the program's name.
        let info = try TestProcess("mobius", ["journal", "info", folder.file("greeter.journal")])
        try await info.end()
        #expect(info.output.elements.first == "Program: greeter")
    }

    @Test("What was done, as JSON", arguments: [true, false])
    func outcomes(repeats: Bool) async throws {
        let fleet = TestFleet()
        let coordinator = try await TestCoordinator(host: fleet.host)
        var run = try await Command.mobius(
            "send", "{}", "--key", "k", "--json", connect: coordinator.endpoint)
        if repeats {
            run = try await Command.mobius("send", "{}", "--key", "k", "--json", connect: coordinator.endpoint)
        }
        #expect(run.end == .exited(0), "\(run.errors)")
        #expect(run.output.count == 1)
        #expect(run.output[0].hasPrefix(#"{"outcome":""#) && run.output[0].contains(#""loop":"main","key":"k""#))
    }
}
