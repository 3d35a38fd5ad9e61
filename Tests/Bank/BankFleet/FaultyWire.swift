public import FleetTestSupport

/// The proxy between workers and coordinator, and what it is told.
public final class FaultyWire: Sendable {
    /// Where workers connect.
    public let endpoint: String
    /// The proxy itself.
    public let process: TestProcess

    /// Starts a proxy that leads to a coordinator, which may come later.
    ///
    /// - Parameter listen: Where workers connect; any port unless told otherwise.
    public init(to target: String, listen: String = "tcp://127.0.0.1:0") async throws {
        process = try TestProcess("fault-proxy", ["--listen", listen, "--target", target], input: .pipe)
        try await process.output.wait(for: "the proxy's endpoint") { !$0.isEmpty }
        endpoint = String(process.output.elements[0].dropFirst("listening ".count))
    }

    /// Gives an order and waits until it is obeyed.
    public func obey(_ line: String) async throws {
        let before = process.output.elements.count
        try process.type(line + "\n")
        try await process.output.wait(for: "the proxy to obey \"\(line)\"") {
            $0.dropFirst(before).contains("done \(line)")
        }
    }

    /// How many bytes have come from workers and from the coordinator.
    public func count() async throws -> (up: Int, down: Int) {
        let before = process.output.elements.count
        try process.type("count\n")
        try await process.output.wait(for: "the proxy's count") { $0.count > before }
        let line = process.output.elements[before]
        guard let match = line.firstMatch(of: /up=([0-9]+) down=([0-9]+)/), let up = Int(match.1),
            let down = Int(match.2)
        else { return (0, 0) }
        return (up, down)
    }
}
