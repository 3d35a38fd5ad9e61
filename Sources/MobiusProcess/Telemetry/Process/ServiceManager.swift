import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Notifications of the service manager that started this process: systemd's protocol of `Type=notify`.
///
/// A notification is a datagram of lines to the socket in the environment, so no library is needed.
package struct ServiceManager: Sendable {
    private let path: String
    /// The time without a notification after which the manager kills the process, if it does.
    package let watchdog: Duration?

    /// The manager that `environment` names; nil when there is none.
    package init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        self.path = path
        let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdog = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// The interval of notifications.
    package var interval: Duration { min(.seconds(5), watchdog.map { $0 / 3 } ?? .seconds(5)) }

    /// Sends these lines, such as `READY=1`; returns whether they were delivered.
    @discardableResult
    package func say(_ lines: [String]) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }  // a name without a file
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let text = Array(lines.joined(separator: "\n").utf8)
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + name.count
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, 0, $0, socklen_t(length))
            }
        }
        return sent == text.count
    }
}

/// Notifies the service manager of a process's phases, and regularly that it is alive.
package struct ServiceReports: Sendable {
    private let manager: ServiceManager
    private let vitals: Vitals

    package init(to manager: ServiceManager, of vitals: Vitals) {
        self.manager = manager
        self.vitals = vitals
    }

    /// Runs the work and sends notifications meanwhile.
    package func reporting(_ work: () async throws -> Void) async throws {
        // Not a child of this task: it must not end at the shutdown that it reports.
        let reports = Task.detached { await report() }
        defer { reports.cancel() }
        try await work()
    }

    private func report() async {
        var told: Vitals.Phase?
        var again = ContinuousClock.now
        while !Task.isCancelled {
            let phase = vitals.phase
            if phase != told || again <= .now {
                manager.say(
                    Self.lines(
                        for: phase, told: told, livenessFailure: vitals.livenessFailure(), interval: manager.interval))
                told = phase
                again = .now + manager.interval
            }
            // Short at the start, so that READY is not delayed.
            try? await Task.sleep(for: phase == .starting ? .milliseconds(20) : .milliseconds(250))
        }
    }

    /// The lines of a phase, which may have been reported before.
    package static func lines(
        for phase: Vitals.Phase, told: Vitals.Phase?, livenessFailure: String?, interval: Duration
    ) -> [String] {
        // While it reads a large journal or finishes its effects, it repeatedly asks for more time.
        let extend = "EXTEND_TIMEOUT_USEC=\(interval.components.seconds * 1_000_000 * 3 + 10_000_000)"
        switch phase {
        case .starting: return [extend, "STATUS=starting"]
        case .running where livenessFailure != nil: return ["STATUS=\(livenessFailure ?? "")"]  // so the watchdog fires
        case .running where told == .running: return ["WATCHDOG=1"]
        case .running: return ["READY=1", "STATUS=running", "WATCHDOG=1"]
        case .stopping where told == .stopping: return [extend, "WATCHDOG=1"]
        case .stopping: return ["STOPPING=1", "STATUS=stopping", extend, "WATCHDOG=1"]
        }
    }
}
