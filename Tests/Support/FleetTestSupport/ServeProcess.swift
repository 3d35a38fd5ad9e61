/// A `mobius serve` beside a fleet, or a `mobius view` of a file, which ends with its last reference.
public final class ServeProcess: Sendable {
    /// The process.
    public let process: TestProcess
    /// Where it serves, by a name of this machine.
    public let address: String

    /// Starts one at a free port, and waits until it listens.
    ///
    /// - Parameter clients: The fleet's endpoints for clients.
    public convenience init(of clients: String, listen: String = "127.0.0.1:0", _ options: [String] = []) async throws {
        try await self.init(["--connect", clients, "--listen", listen] + options)
    }

    /// Shows a file that `mobius export` has written, and waits until it listens.
    public convenience init(viewing file: String) async throws {
        try await self.init(["view", file])
    }

    private init(_ arguments: [String]) async throws {
        process = try TestProcess("mobius-serve", arguments)
        try await process.log("serving loops")
        let line = process.errors.elements.last { $0.contains("serving loops") } ?? ""
        func value(_ name: String) -> Substring {
            line.split(separator: " ").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1) ?? ""
        }
        address = "\(value("address").replacing("0.0.0.0", with: "127.0.0.1")):\(value("port"))"
    }
}
