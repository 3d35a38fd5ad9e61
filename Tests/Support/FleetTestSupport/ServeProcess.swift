/// A `mobius serve` beside a fleet, which ends with its last reference.
public final class ServeProcess: Sendable {
    /// The process.
    public let process: TestProcess
    /// Where it serves, by a name of this machine.
    public let address: String

    /// Starts one at a free port, and waits until it listens.
    ///
    /// - Parameter clients: The fleet's endpoints for clients.
    public init(of clients: String, listen: String = "127.0.0.1:0", _ options: [String] = []) async throws {
        process = try TestProcess("mobius-serve", ["--connect", clients, "--listen", listen] + options)
        try await process.log("serving loops")
        let line = process.errors.elements.last { $0.contains("serving loops") } ?? ""
        func value(_ name: String) -> Substring {
            line.split(separator: " ").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1) ?? ""
        }
        address = "\(value("address").replacing("0.0.0.0", with: "127.0.0.1")):\(value("port"))"
    }
}
