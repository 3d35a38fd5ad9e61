import FleetTestSupport
import Foundation
import MobiusProcess
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a service manager hears.
struct ServiceManagerTests {
    private let interval = Duration.seconds(5)

    private func lines(_ phase: Vitals.Phase, after told: Vitals.Phase? = nil, livenessFailure: String? = nil)
        -> [String]
    {
        ServiceReports.lines(for: phase, told: told, livenessFailure: livenessFailure, interval: interval)
    }

    @Test func whoStartsAsksForTime() {
        #expect(lines(.starting) == ["EXTEND_TIMEOUT_USEC=25000000", "STATUS=starting"])
    }

    @Test func readyIsSaidOnceAndThenThatItLives() {
        #expect(lines(.running, after: .starting) == ["READY=1", "STATUS=running", "WATCHDOG=1"])
        #expect(lines(.running, after: .running) == ["WATCHDOG=1"])
    }

    @Test func whatHangsLetsTheWatchdogBark() {
        #expect(lines(.running, after: .running, livenessFailure: "it hangs") == ["STATUS=it hangs"])
    }

    @Test func whoStopsSaysSo() {
        #expect(
            lines(.stopping, after: .running) == [
                "STOPPING=1", "STATUS=stopping", "EXTEND_TIMEOUT_USEC=25000000", "WATCHDOG=1",
            ])
        #expect(lines(.stopping, after: .stopping) == ["EXTEND_TIMEOUT_USEC=25000000", "WATCHDOG=1"])
    }

    @Test func theEnvironmentSaysWhoListensAndHowOften() {
        #expect(ServiceManager(environment: [:]) == nil)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "relative"]) == nil)
        let plain = ServiceManager(environment: ["NOTIFY_SOCKET": "/run/n"])
        #expect(plain?.watchdog == nil)
        #expect(plain?.interval == .seconds(5))
        let watched = ServiceManager(environment: ["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "6000000"])
        #expect(watched?.interval == .seconds(2))
        let others = ServiceManager(
            environment: ["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "6000000", "WATCHDOG_PID": "1"])
        #expect(others?.watchdog == nil)
    }

    @Test func nobodyListening() {
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/at/all"])?.say(["READY=1"]) == false)
    }
}

/// The datagram socket of a service manager.
final class FakeManager: Sendable {
    let heard = Journey<String>()
    let path: String
    private let folder: TestFolder
    private let descriptor: Int32

    init() throws {
        folder = try TestFolder()
        path = folder.file("n")
        #if os(Linux)
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #else
            descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        Thread { [descriptor, heard] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                // Another test may send this process a signal.
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
                    heard.add(String(line))
                }
            }
        }.start()
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    func hears(_ line: String) async throws {
        try await heard.wait(for: "\"\(line)\" to the service manager") { $0.contains(line) }
    }
}
