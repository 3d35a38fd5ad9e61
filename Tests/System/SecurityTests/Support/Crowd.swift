import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Strangers at a TCP port, all at once, each of a kind; they hold on until they are told to go.
final class Crowd: Sendable {
    /// What a stranger does once he is connected.
    enum Kind: CaseIterable, Sendable {
        /// Says nothing.
        case silent
        /// Says his greeting a byte at a time, for as long as he is listened to.
        case slow
        /// Says bytes that mean nothing.
        case random
        /// Introduces himself as ZeroMQ without keys.
        case plain
        /// Introduces himself with CURVE, and then says nonsense instead of a handshake.
        case curve
        /// The same, and then sends as much as he can of a frame that he says is 4 MiB long.
        case huge
    }

    private struct Member {
        let descriptor: Int32
        let kind: Kind
        var said = 0
        var isOver = false
    }

    private let members: Mutex<[Member]>

    /// Connects so many strangers, of each kind in turn.
    init(_ count: Int, at endpoint: String, of kinds: [Kind] = Kind.allCases) throws {
        let port = try UInt16(endpoint.split(separator: ":").last ?? "") ?? { throw POSIXError(.EINVAL) }()
        let members = (0..<count).compactMap { number -> Member? in
            Self.connect(to: port).map { Member(descriptor: $0, kind: kinds[number % kinds.count]) }
        }
        self.members = Mutex(members)
    }

    deinit {
        leave()
    }

    /// How many still have their connection.
    var present: Int { members.withLock { $0.count { !$0.isOver } } }

    /// How many bytes they have said.
    var said: Int { members.withLock { $0.reduce(0) { $0 + $1.said } } }

    /// Lets everybody say what he can say now; those who were thrown out leave.
    func speak() {
        members.withLock { members in
            for index in members.indices where !members[index].isOver { Self.speak(&members[index]) }
        }
    }

    /// Ends all connections.
    func leave() {
        members.withLock { members in
            for index in members.indices where !members[index].isOver {
                close(members[index].descriptor)
                members[index].isOver = true
            }
        }
    }

    private static func speak(_ member: inout Member) {
        var scrap = [UInt8](repeating: 0, count: 4096)
        let heard = recv(member.descriptor, &scrap, scrap.count, Int32(MSG_DONTWAIT))
        var isOver = heard == 0 || (heard < 0 && errno != EAGAIN)
        if !isOver {
            let words = words(of: member)
            if !words.isEmpty {
                let count = send(member.descriptor, words, words.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                if count > 0 { member.said += count }
                isOver = count < 0 && errno != EAGAIN
            }
        }
        if isOver {
            close(member.descriptor)
            member.isOver = true
        }
    }

    private static func words(of member: Member) -> [UInt8] {
        switch member.kind {
        case .silent: return []
        case .slow: return member.said < 64 ? [greeting("CURVE")[member.said]] : []
        case .random: return (0..<512).map { _ in .random(in: 0...255) }
        case .plain: return member.said == 0 ? greeting("NULL") + command("READY", 64) : command("READY", 64)
        case .curve: return (member.said == 0 ? greeting("CURVE") : []) + command("HELLO", 194)
        case .huge:
            let start = member.said == 0 ? greeting("CURVE") + [6, 0, 0, 0, 0, 0, 0x40, 0, 0] : []
            return start + [UInt8](repeating: 7, count: 64 << 10)
        }
    }

    /// ZMTP 3.0: signature, version, mechanism, as-server, filler.
    private static func greeting(_ mechanism: String) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0]
        bytes += Array(mechanism.utf8) + [UInt8](repeating: 0, count: 20 - mechanism.utf8.count)
        return bytes + [UInt8](repeating: 0, count: 64 - bytes.count)
    }

    /// A command frame of ZMTP with noise for a body.
    private static func command(_ name: String, _ size: Int) -> [UInt8] {
        let body = [UInt8(name.utf8.count)] + Array(name.utf8) + (0..<size).map { _ in .random(in: 0...255) }
        return [4, UInt8(body.count)] + body
    }

    private static func connect(to port: UInt16) -> Int32? {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                systemConnect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}

/// The system's connect, which the type's own function hides.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}

/// What the system says of a process.
enum Usage {
    /// Its memory that is in use, in MiB.
    static func memory(of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let words = line?.split(whereSeparator: \.isWhitespace) ?? []
        guard words.count > 1, let kibibytes = Int(words[1]) else { throw CocoaError(.fileReadCorruptFile) }
        return kibibytes / 1024
    }

    /// How many files and connections it has open.
    static func descriptors(of process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }
}
