import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The guide Orders is played in a folder of its own, with the executables of the repository.
@Suite("The page Orders", .patient)
struct OrdersPageTests {
    private static let path = "Sources/MobiusFleet/MobiusFleet.docc/Orders.md"

    @Test("shows what the commands do")
    func commands() async throws {
        let page = Page(path: Self.path, text: try #require(Documentation.sources.read(Self.path)))
        let shop = try OrdersShell(topology: try #require(Documentation.sources.read("Deploy/orders.yaml")))
        var count = 0
        for block in page.blocks where block.language == "console" {
            for (command, output) in OperatingTests.dialogue(block.code) where !command.hasPrefix("export ") {
                if command.hasSuffix(" &") {
                    try await shop.start(command)
                    continue
                }
                count += 1
                if block.source == "scene: delivered" {
                    try await eventually("the customer's loop lists the order as delivered") {
                        try await shop.run("curl -s http://127.0.0.1:8080/loops/customer%2FAda").joined().contains(
                            "sold")
                    }
                }
                let said = try await shop.run(command)
                #expect(
                    said.filter { !$0.isEmpty }.map(Self.masked) == output.map(Self.masked),
                    "\(Self.path):\(block.line): \(command)")
            }
        }
        #expect(count == 5)
        try await shop.end()
    }

    /// Figures of a load differ each time, but neither how often customers are mistaken nor that nobody complains.
    private static func masked(_ line: String) -> String {
        var text = OperatingTests.masked(line)
        // Named by its endpoint, where the reader has one fleet that is found by itself.
        text.replace(/order\/1 at ipc:\S+/, with: "orders/order/1")
        text.replace(/\d+\.\d+/, with: "FIGURE")
        text.replace(/"day":"[-\d]+"/, with: #""day":"DAY""#)
        text.replace(/cancelled \d+, delivered \d+/, with: "cancelled N, delivered N")
        text.replace(/undeliverable \d+/, with: "undeliverable N")
        text.replace(/\d+ entries/, with: "N entries")
        return text
    }
}

/// Stands for the reader's shell.
private final class OrdersShell {
    private let folder: TestFolder
    private let environment: [String: String]
    private var fleet: TestProcess?
    private var port = ""

    init(topology: String) throws {
        folder = try TestFolder()
        let endpoint = "ipc://\(folder.file("s"))"
        // Other tests may use the port of the page.
        let own = topology.replacing("endpoint: tcp://127.0.0.1:5701", with: "endpoint: \(endpoint)")
        try own.write(toFile: folder.file("orders.yaml"), atomically: true, encoding: .utf8)
        let programs = try TestProcess.executable("mobius").deletingLastPathComponent().path
        environment = [
            "MOBIUS_CONNECT_CLIENT": "\(endpoint)-client", "MOBIUS_RUNTIME_DIR": folder.path,
            "PATH": "\(programs):/usr/bin:/bin",
        ]
    }

    /// Starts the fleet, at any port, and waits until it serves.
    func start(_ command: String) async throws {
        let own = command.dropLast(2).replacing("--http 8080", with: "--http 0")
        fleet = try TestProcess("/bin/sh", ["-c", "exec \(own)"], environment: environment, in: folder.path)
        let log = folder.file("log")
        try await eventually("the fleet serves") {
            let text = try String(contentsOfFile: log, encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.contains("serving loops") }
            self.port = line?.firstMatch(of: /port=(\d+)/).map { String($0.1) } ?? ""
            return !self.port.isEmpty && text.contains("loops ready")
        }
    }

    /// What a command prints, on standard output and then on standard error.
    func run(_ command: String) async throws -> [String] {
        let own = command.replacing(":8080", with: ":\(port)")
        let process = try TestProcess("/bin/sh", ["-c", "exec \(own)"], environment: environment, in: folder.path)
        _ = try await process.end()
        return process.output.elements + process.errors.elements
    }

    /// Ends the fleet in order, as Ctrl-C does.
    func end() async throws {
        fleet?.signal(SIGINT)
        #expect(try await fleet?.end() == .exited(0))
    }
}
