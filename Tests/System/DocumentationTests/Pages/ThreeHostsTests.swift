import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The page about three hosts is played on three network namespaces, with its own commands.
@Suite(
    "The page about three hosts",
    .enabled(if: Hosts.isTested, "this user may not make network namespaces, which stand for the hosts"),
    .patient)
struct ThreeHostsTests {
    @Test("shows what the commands do")
    func commands() async throws {
        let scene = try await ThreeHosts()
        let count = try await scene.page.play("ThreeHosts", scene.play) { said in
            said.contains { $0.contains("mobius dead list") } ? try await scene.deadLetters() : []
        }
        #expect(count >= 12)
    }
}

/// Three hosts, each with a folder, and what runs on them.
private final class ThreeHosts {
    private static let farewell =
        "Error: The coordinator at tcp://fleet:5701 does not admit this worker: this key is not, or no longer, in the allow-list."
    private static let names = ["head", "east", "west"]

    let page: PageHosts
    private var hosts: Hosts { page.hosts }

    init() async throws {
        page = try await PageHosts(Hosts("head", "east", "west"), Self.names)
        try hosts.call("head", "fleet")
    }

    /// What the page says in words.
    func play(_ scene: String) async throws {
        switch scene {
        case "scene: the keys are brought to their hosts":
            for (key, host) in [("east", "east"), ("west", "west"), ("ops", "west")] {
                try page.copy("head/keys/\(key).key", "\(host)/\(key).key")
            }
        case "scene: all have met": try await untilStatus { $0.contains("2        0        0") }
        case "scene: a cable is pulled":
            try await hosts.cut("east")
            try await untilStatus { $0.contains("1        0        0") }
        case "scene: all is done": try await untilStatus { $0.contains("main  8       0 ") }
        case "scene: the cable is back":
            try await hosts.mend("east")
            try await untilStatus { $0.contains("2        0        0") }
        case "scene: the coordinator has stopped, and its files are on west":
            // Its key was revoked before.
            let worker = try #require(page.running["east greeter-worker"])
            #expect(try await worker.end() == .exited(77))
            #expect(worker.errors.elements.last == Self.farewell)
            let coordinator = try #require(page.running["head greeter-coordinator"])
            coordinator.signal(SIGINT)
            #expect(try await coordinator.end() == .exited(0))
            for file in ["greeter.journal", "keys"] { try page.copy("head/\(file)", "west/\(file)") }
            try hosts.call("west", "fleet")
        case "scene: the worker has found it": try await untilStatus { $0.contains("1        0        0") }
        default: Issue.record("The page has a scene that nobody knows: \(scene)")
        }
    }

    func deadLetters() async throws -> [String] {
        try await page.run("mobius dead list --connect tcp://fleet:5702 --key-file ops.key", on: "west")
    }

    private func untilStatus(_ isSo: (String) -> Bool) async throws {
        let command = "mobius status --connect tcp://fleet:5702 --key-file ops.key"
        try await eventually("the status is as the page shows it") {
            isSo(try await self.page.run(command, on: "west").joined(separator: "\n"))
        }
    }
}
