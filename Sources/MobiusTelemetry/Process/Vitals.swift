import Dispatch
import Synchronization

/// Whether a process lives and is ready, as its socket thread shows by passing by again and again.
///
/// The socket thread tells of itself; probes and the service manager look, from any thread. A beat is one store.
package final class Vitals: Sendable {
    /// How far the process is.
    package enum Phase: Int, Sendable {
        /// It prepares itself: a coordinator reads its journal.
        case starting
        /// Its socket thread goes round.
        case running
        /// It was told to stop, and finishes.
        case stopping
    }

    /// After so much silence of its socket thread a process that runs is taken for hung: 10 s.
    ///
    /// The thread goes round once a second at least; `update` and decoding run on it, and never wait.
    package static let patience = Duration.seconds(10)

    private let lastBeat = Atomic<Int64>(0)
    private let phaseNumber = Atomic(Phase.starting.rawValue)
    private let serves = Atomic(false)

    package init() {}

    /// How far the process is.
    package var phase: Phase { Phase(rawValue: phaseNumber.load(ordering: .acquiring)) ?? .starting }

    /// The socket thread goes round, at this time of ``now``; it runs from the first time on.
    package func beat(at nanoseconds: Int64) {
        lastBeat.store(nanoseconds, ordering: .relaxed)
        guard phaseNumber.load(ordering: .relaxed) == Phase.starting.rawValue else { return }
        phaseNumber.store(Phase.running.rawValue, ordering: .releasing)
    }

    /// Whether it does what it is there for: a coordinator listens, a worker is in a session.
    package func serves(_ serves: Bool) { self.serves.store(serves, ordering: .releasing) }

    /// It was told to stop.
    package func stops() { phaseNumber.store(Phase.stopping.rawValue, ordering: .releasing) }

    /// Whether ``serves(_:)`` said so last.
    package var isServing: Bool { serves.load(ordering: .acquiring) }

    /// Why it should be killed; `nil` when it should not.
    package func complaint(at now: Int64 = Vitals.now) -> String? {
        guard phase == .running else { return nil }  // what it does then may take its time
        let silence = Duration.nanoseconds(now - lastBeat.load(ordering: .relaxed))
        guard silence > Self.patience else { return nil }
        return "the socket thread has not gone round for \(silence.components.seconds) s"
    }

    /// Why nobody should count on it now; `nil` when it is ready.
    package func hindrance(at now: Int64 = Vitals.now) -> String? {
        switch phase {
        case .starting: "it is starting"
        case .stopping: "it is stopping"
        case .running: complaint(at: now) ?? (isServing ? nil : "it is not connected")
        }
    }

    /// The clock that beats are told by.
    package static var now: Int64 { Int64(bitPattern: DispatchTime.now().uptimeNanoseconds) }
}
