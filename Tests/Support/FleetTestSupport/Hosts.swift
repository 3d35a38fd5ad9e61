import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Hosts on one network, as far as a process can tell: network namespaces, connected by a `network-switch`.
///
/// They share the disk; each has an `/etc/hosts` of its own, which knows all of them by name.
///
/// It takes the executable `network-switch`, the right to make namespaces, and `/dev/net/tun`.
public final class Hosts: Sendable {
    /// Whether this user may make namespaces and network devices.
    public static let isPermitted: Bool = {
        let name = unique()
        guard (try? ip(["netns", "add", name])) == true else { return false }
        defer { _ = try? ip(["netns", "delete", name]) }
        return (try? ip(["-n", name, "tuntap", "add", "dev", "probe", "mode", "tun"])) == true
    }()
    /// Whether the tests run: continuous integration must not pass without them.
    public static let isTested = isPermitted || ProcessInfo.processInfo.environment["CI"] != nil

    private let names: [String]
    private let prefix: String
    private let network: TestProcess
    private let aliases = Mutex<[String: String]>([:])

    /// Makes hosts of these names with the addresses 10.77.0.1, 10.77.0.2 and so on.
    public init(_ names: String...) async throws {
        self.names = names
        let prefix = Self.unique()
        self.prefix = prefix
        let devices = names.indices.map { "\(prefix)-\($0)" }
        network = try TestProcess(
            "network-switch", names.indices.map { "\(devices[$0])=\(Self.address($0))" }, input: .pipe)
        try await network.output.wait(for: "the switch") { $0.contains("ready") }
        for (index, name) in names.enumerated() {
            let namespace = namespace(name)
            try Self.require(["netns", "add", namespace])
            try Self.require(["link", "set", devices[index], "netns", namespace])
            try Self.require(["-n", namespace, "link", "set", "lo", "up"])
            try Self.require(["-n", namespace, "addr", "add", "\(Self.address(index))/24", "dev", devices[index]])
            try Self.require(["-n", namespace, "link", "set", devices[index], "up"])
        }
        for name in names { try believe([:], on: name) }
    }

    deinit {
        network.signal(SIGKILL)
        for name in names {
            _ = try? Self.ip(["netns", "delete", namespace(name)])
            try? FileManager.default.removeItem(atPath: "/etc/netns/\(namespace(name))")
        }
    }

    private var addresses: [(String, String)] { names.enumerated().map { ($1, Self.address($0)) } }

    /// The command that runs another one on a host.
    public func on(_ host: String) -> [String] { [Self.program, "netns", "exec", namespace(host)] }

    /// Lets all hosts believe that a name, one of theirs or another, has the address of this host.
    public func call(_ host: String, _ name: String) throws {
        try believe(address(host), for: name)
    }

    /// Lets all hosts forget such a name.
    public func forget(_ name: String) throws { try believe(nil, for: name) }

    private func believe(_ address: String?, for name: String) throws {
        let known = aliases.withLock { aliases in
            aliases[name] = address
            return aliases
        }
        for believer in names { try believe(known, on: believer) }
    }

    /// Has the processes that are started on a host from now on ask this address for names that it does not know, once, and
    /// wait for half a minute.
    public func ask(_ nameServer: String, on host: String) throws {
        let lines = "nameserver \(nameServer)\noptions timeout:30 attempts:1\n"
        try Data(lines.utf8).write(to: URL(fileURLWithPath: "/etc/netns/\(namespace(host))/resolv.conf"))
    }

    // MARK: - The network

    /// Delays all that comes and goes; each way counts.
    public func delay(_ host: String, milliseconds: Int) async throws {
        try await obey("delay", host, "\(milliseconds)")
    }

    /// Loses so many of a host's packets.
    public func lose(_ host: String, percent: Int) async throws { try await obey("loss", host, "\(percent)") }

    /// Loses all of them, without a word to either end; and no more.
    public func cut(_ host: String) async throws { try await obey("cut", host) }
    /// No longer loses all packets.
    public func mend(_ host: String) async throws { try await obey("mend", host) }

    /// Takes a host's network device down, which its processes are told; and up again.
    public func unplug(_ host: String) throws {
        try Self.require(["-n", namespace(host), "link", "set", device(host), "down"])
    }
    /// Takes it up again.
    public func plugIn(_ host: String) throws {
        try Self.require(["-n", namespace(host), "link", "set", device(host), "up"])
    }

    /// Drops what a host sends to another, without a word to either; what the other sends arrives.
    public func forsake(_ host: String, _ other: String) throws {
        try Self.require(["-n", namespace(host), "route", "add", "blackhole", "\(address(other))/32"])
    }
    /// Drops it no longer.
    public func regain(_ host: String, _ other: String) throws {
        try Self.require(["-n", namespace(host), "route", "delete", "blackhole", "\(address(other))/32"])
    }

    /// How many packets arrived and how many did not.
    public func count() async throws -> (passed: Int, lost: Int) {
        let before = network.output.elements.count
        try network.type("count\n")
        try await network.output.wait(for: "the switch's count") { $0.count > before }
        guard let match = network.output.elements[before].firstMatch(of: /passed=([0-9]+) lost=([0-9]+)/),
            let passed = Int(match.1), let lost = Int(match.2)
        else { return (0, 0) }
        return (passed, lost)
    }

    private func obey(_ verb: String, _ host: String, _ rest: String...) async throws {
        let line = ([verb, device(host)] + rest).joined(separator: " ")
        let before = network.output.elements.count
        try network.type(line + "\n")
        try await network.output.wait(for: "the switch to obey \"\(line)\"") {
            $0.dropFirst(before).contains("done \(line)")
        }
    }

    // MARK: - Names

    /// The address of a host.
    public func address(_ host: String) -> String { Dictionary(uniqueKeysWithValues: addresses)[host] ?? "" }

    private static func address(_ index: Int) -> String { "10.77.0.\(index + 1)" }

    private func namespace(_ host: String) -> String { "\(prefix)-\(host)" }

    private func device(_ host: String) -> String { "\(prefix)-\(names.firstIndex(of: host) ?? 0)" }

    /// `ip netns exec` shows this file as `/etc/hosts`; written in place, for whoever has it open by then.
    private func believe(_ aliases: [String: String], on host: String) throws {
        let folder = "/etc/netns/\(namespace(host))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let known = Dictionary(uniqueKeysWithValues: addresses).merging(aliases) { $1 }
        let lines = ["127.0.0.1 localhost"] + known.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: "\(folder)/hosts"))
    }

    private static func unique() -> String { "mf\(String(UInt32.random(in: .min ... .max), radix: 36))" }

    // MARK: - ip(8)

    private static let program =
        ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        } ?? "/usr/sbin/ip"

    private static func require(_ arguments: [String]) throws {
        guard try ip(arguments) else { throw Refused(command: arguments.joined(separator: " ")) }
    }

    private static func ip(_ arguments: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private struct Refused: Error, CustomStringConvertible {
        let command: String

        var description: String { "ip \(command) failed: the tests of several hosts need root and /dev/net/tun." }
    }
}
