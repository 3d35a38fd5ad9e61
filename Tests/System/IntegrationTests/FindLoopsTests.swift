import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// Loops that are found by their facts, as a user of the command line and of HTTP sees them.
@Suite(.patient)
struct FindLoopsTests {
    private let folder: TestFolder
    private var endpoint: String { "ipc://\(folder.file("s"))" }

    init() throws {
        folder = try TestFolder()
    }

    private func coordinator() async throws -> TestProcess {
        let coordinator = try TestProcess("orders-coordinator", ["--bind", endpoint], in: folder.path)
        try await coordinator.log("listening")
        return coordinator
    }

    private func mobius(_ arguments: String...) async throws -> (output: [String], errors: String) {
        let process = try TestProcess("mobius", arguments + ["--connect", "\(endpoint)-client", "--timeout", "60s"])
        let end = try await process.end()
        #expect(end == .exited(0), "\(process.errors.elements)")
        return (process.output.elements, process.errors.elements.joined(separator: "\n"))
    }

    private func order(_ number: Int, _ customer: String, _ quantity: Int) async throws {
        let request = #"{"customer":"\#(customer)","article":"tea","quantity":\#(quantity),"city":"Bergen"}"#
        _ = try await mobius(
            "send", "order/\(number)", #"{"placed":{"_0":\#(request)}}"#, "--new", "--key", "\(number)")
    }

    @Test("by conditions, in the order of a fact, also after a kill")
    func found() async throws {
        var coordinator = try await coordinator()
        for (number, customer, quantity) in [(1, "Ada", 3), (2, "Grace", 1), (3, "Ada", 10), (4, "Alan", 5)] {
            try await order(number, customer, quantity)
        }
        for _ in 0..<2 {
            let (large, _) = try await mobius("loops", "order/", "--where", "total > 1000", "--sort", "-total")
            #expect(large.count == 4)
            let heading = try #require(large.first)
            #expect(heading.split(separator: " ").suffix(5) == ["CITY", "CUSTOMER", "STAGE", "TOTAL", "LOOP"])
            #expect(
                large.dropFirst().map { $0.split(separator: " ").suffix(3).joined(separator: " ") } == [
                    "reserving 4500 order/3", "reserving 2250 order/4", "reserving 1350 order/1",
                ])
            let (json, _) = try await mobius(
                "loops", "order/", "--where", "customer = Ada and stage in (reserving, charging)", "--json")
            #expect(json.count == 2)
            #expect(
                json.first?.contains(#""facts":{"city":"Bergen","customer":"Ada","stage":"reserving","total":1350}"#)
                    == true)
            let (page, more) = try await mobius("loops", "order/", "--sort", "total", "--limit", "3", "--json")
            #expect(page.count == 3)
            let after = try #require(more.split(separator: "'").dropFirst().first)
            let (rest, end) = try await mobius(
                "loops", "order/", "--sort", "total", "--json", "--after", String(after))
            #expect(rest.count == 1 && rest[0].contains("order/3"))
            #expect(!end.contains("--after"))
            try await coordinator.kill()
            coordinator = try await self.coordinator()
        }
        let serve = try await ServeProcess(of: "\(endpoint)-client")
        let query = "prefix=order/&where=customer%20begins%20with%20%27A%27&sort=-total&limit=2"
        let curl = try TestProcess("/usr/bin/curl", ["-sS", "--fail", "http://\(serve.address)/loops?\(query)"])
        #expect(try await curl.end() == .exited(0), "\(curl.errors.elements)")
        let found = curl.output.elements.joined()
        #expect(found.contains(#""loop":"order/3""#) && found.contains(#""loop":"order/4""#))
        #expect(!found.contains(#""loop":"order/1""#) && found.contains(#""isComplete":true"#))
        try await coordinator.kill()
    }

    @Test("a condition that cannot be read, and programs without facts, are refused with what to do")
    func refused() async throws {
        let coordinator = try await coordinator()
        let wrong = try TestProcess(
            "mobius", ["loops", "order/", "--where", "total >", "--connect", "\(endpoint)-client"])
        #expect(try await wrong.end() == .exited(64))
        #expect(wrong.errors.elements.contains { $0.hasSuffix("^") }, "\(wrong.errors.elements)")
        let other = try TestProcess("mobius", ["loops", "statistics", "--facts", "--connect", "\(endpoint)-client"])
        #expect(try await other.end() == .exited(1))
        #expect(
            other.errors.elements.joined().contains("declares facts, as the prefix: order/"), "\(other.errors.elements)"
        )
        try await coordinator.kill()
    }
}
