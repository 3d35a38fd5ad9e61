import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Whether a process is alive and ready, according to the heartbeats of its socket threads.
///
/// The socket threads write it; probes and the service manager read it, from any thread. A beat is one store.
package final class Vitals: Sendable {
    /// The phases of a process.
    package enum Phase: Int, Sendable {
        /// It starts: a coordinator reads its journal.
        case starting
        /// Its socket thread runs.
        case running
        /// It is shutting down.
        case stopping
    }

    /// The silence of its socket thread after which a running process counts as hung: 10 s.
    ///
    /// The thread beats at least once a second; `update` and decoding run on it, and never wait.
    package static let patience = Duration.seconds(10)

    /// The heartbeats of a thread.
    package final class Pulse: Sendable {
        fileprivate let last: Atomic<Int64>

        fileprivate init(at nanoseconds: Int64) { last = Atomic(nanoseconds) }

        /// The thread runs at this time of ``Vitals/now``.
        package func beat(at nanoseconds: Int64) { last.store(nanoseconds, ordering: .relaxed) }
    }

    private let main = Pulse(at: 0)
    /// Those of threads beside the main one.
    private let others = Mutex<[Pulse]>([])
    private let phaseNumber = Atomic(Phase.starting.rawValue)
    private let serves = Atomic(false)
    private let isStandby = Atomic(false)
    /// Says who runs the loops meanwhile, in a clause.
    private let owner = Mutex<(@Sendable () -> String)?>(nil)

    package init() {}

    /// The current phase.
    package var phase: Phase { Phase(rawValue: phaseNumber.load(ordering: .acquiring)) ?? .starting }

    /// A beat of the socket thread, at this time of ``now``; the first beat starts the phase `running`.
    package func beat(at nanoseconds: Int64) {
        main.beat(at: nanoseconds)
        guard phaseNumber.load(ordering: .relaxed) == Phase.starting.rawValue else { return }
        phaseNumber.store(Phase.running.rawValue, ordering: .releasing)
    }

    /// The heartbeats of one more thread, which count until ``end(_:)``.
    package func pulse() -> Pulse {
        let pulse = Pulse(at: Self.now)
        others.withLock { $0.append(pulse) }
        return pulse
    }

    /// The thread has ended.
    package func end(_ pulse: Pulse) { others.withLock { $0.removeAll { $0 === pulse } } }

    /// Sets whether it is ready: a coordinator listens, a worker has a session.
    package func serves(_ serves: Bool) { self.serves.store(serves, ordering: .releasing) }

    /// Sets whether it stands by while another coordinator runs the loops.
    package func standsBy(_ standsBy: Bool) { isStandby.store(standsBy, ordering: .releasing) }

    /// Sets what says, in a clause, who runs the loops while this process stands by; `nil` for nothing.
    package func findsOwner(by owner: (@Sendable () -> String)?) { self.owner.withLock { $0 = owner } }

    /// Starts the phase `stopping`.
    package func stops() { phaseNumber.store(Phase.stopping.rawValue, ordering: .releasing) }

    /// The last value of ``serves(_:)``.
    var isServing: Bool { serves.load(ordering: .acquiring) }

    /// Returns the reason why it is not alive; `nil` when it is.
    package func livenessFailure(at now: Int64 = Vitals.now) -> String? {
        guard phase == .running else { return nil }  // starting and stopping may take long
        let last = others.withLock { others in
            others.reduce(main.last.load(ordering: .relaxed)) { min($0, $1.last.load(ordering: .relaxed)) }
        }
        let silence = Duration.nanoseconds(now - last)
        guard silence > Self.patience else { return nil }
        return "the socket thread has not run for \(silence.components.seconds) s"
    }

    /// Returns the reason why it is not ready; `nil` when it is.
    package func readinessFailure(at now: Int64 = Vitals.now) -> String? {
        switch phase {
        case .starting: "it is starting"
        case .stopping: "it is stopping"
        case .running: livenessFailure(at: now) ?? (isServing ? nil : "it is not connected")
        }
    }

    /// Returns the reason why it does not run the loops; `nil` when it does.
    func ownerFailure(at now: Int64 = Vitals.now) -> String? {
        if let failure = readinessFailure(at: now) { return failure }
        guard isStandby.load(ordering: .acquiring) else { return nil }
        return "it stands by" + (owner.withLock { $0 }.map { ": \($0())" } ?? "")
    }

    /// The clock of beats, which is that of the drivers: it counts suspensions.
    ///
    /// After one, a process seems to hang until its threads run again.
    package static var now: Int64 {
        #if canImport(Darwin)
            let clock = CLOCK_MONOTONIC
        #else
            let clock = CLOCK_BOOTTIME
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
