import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Hosts on one network, as far as their processes can tell: network namespaces, and one more for the bridge between them.
///
/// They share the disk and the processors. The tests' hosts (FleetTestSupport) are in a target that no other package can use, and
/// their switch is a process that would take part of the processors' time.
final class Hosts {
    /// Whether this user may make them: without that, their benchmarks are left out.
    static var isPermitted: Bool { getuid() == 0 && program != nil }

    private static let program = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let names: [String]
    private let prefix = "bench\(UInt16.random(in: 0...UInt16.max))"
    private var bridge: String { "\(prefix)-bridge" }

    /// Makes hosts of these names, of which each may have 15 letters, with the addresses 10.78.0.1, 10.78.0.2 and so on.
    init(_ names: [String]) throws {
        self.names = names
        do {
            try Self.ip("netns", "add", bridge)
            try Self.ip("-n", bridge, "link", "add", "bridge", "type", "bridge")
            try Self.ip("-n", bridge, "link", "set", "dev", "bridge", "up")
            for name in names {
                let host = namespace(name)
                try Self.ip("netns", "add", host)
                try Self.ip("-n", host, "link", "set", "dev", "lo", "up")
                try Self.ip("-n", host, "link", "add", "cable", "type", "veth", "peer", "name", name, "netns", bridge)
                try Self.ip("-n", host, "addr", "add", "\(address(name))/24", "dev", "cable")
                try Self.ip("-n", host, "link", "set", "dev", "cable", "up")
                try Self.ip("-n", bridge, "link", "set", "dev", name, "up")
                try mend(name)
            }
        } catch {
            remove()
            throw error
        }
    }

    /// Removes them, once their processes have ended.
    func remove() {
        for name in names.map(namespace) + [bridge] { try? Self.ip("netns", "delete", name) }
    }

    /// The command that runs another one on a host.
    func on(_ host: String) -> [String] { [Self.program ?? "ip", "netns", "exec", namespace(host)] }

    /// A host's address.
    func address(_ host: String) -> String { "10.78.0.\((names.firstIndex(of: host) ?? 0) + 1)" }

    /// Loses all that a host sends and is sent; neither end is told.
    func cut(_ host: String) throws { try Self.ip("-n", bridge, "link", "set", "dev", host, "nomaster") }

    /// Loses it no more.
    func mend(_ host: String) throws { try Self.ip("-n", bridge, "link", "set", "dev", host, "master", "bridge") }

    private func namespace(_ host: String) -> String { "\(prefix)-\(host)" }

    private static func ip(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: program ?? "ip")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchError("ip \(arguments.joined(separator: " ")) failed; what it said is above.")
        }
    }
}
