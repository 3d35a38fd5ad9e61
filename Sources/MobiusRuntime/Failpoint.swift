#if DEBUG
    import Foundation
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif
#endif

/// A place at which a test can kill or stop the process, so that the state on disk and on the wire is exactly known.
///
/// The environment variable `MOBIUS_FAILPOINTS` arms places. With
/// `coordinator.before-commit=kill@3,coordinator.after-send=stop` the process gets SIGKILL when it passes the first
/// place for the third time, and SIGSTOP when it passes the second one for the first time. Release builds contain none
/// of this code.
package enum Failpoint: String {
    /// Records are about to be written.
    case beforeCommit = "coordinator.before-commit"
    /// Records are on disk, and no peer has been told.
    case afterCommit = "coordinator.after-commit"
    /// Loops are about to be stored as idle.
    case beforeParking = "coordinator.before-parking"
    /// Loops are stored as idle, and still in memory.
    case afterParking = "coordinator.after-parking"
    /// Effects have been given to the socket.
    case afterSend = "coordinator.after-send"
    /// An acknowledgement has been given to the socket.
    case afterAck = "coordinator.after-ack"
    /// Events are about to be given to the socket.
    case beforeReport = "worker.before-report"
    /// Events have been given to the socket.
    case afterReport = "worker.after-report"

    /// Kills or stops the process if the place is armed; may be called on any thread.
    @inline(__always) package func pass() {
        #if DEBUG
            Armed.shared?.pass(self)
        #endif
    }
}

#if DEBUG
    /// The places named by the environment variable.
    private final class Armed: Sendable {
        private struct Trap {
            let signal: Int32
            var passesLeft: Int
        }

        static let shared = ProcessInfo.processInfo.environment["MOBIUS_FAILPOINTS"].map { Armed($0) }

        private let traps: Mutex<[Failpoint: Trap]>

        private init(_ text: String) {
            var traps: [Failpoint: Trap] = [:]
            for entry in text.split(separator: ",") {
                guard
                    let match = entry.wholeMatch(
                        of: /(?<place>[a-z.-]+)=(?<action>kill|stop)(@(?<count>[1-9][0-9]*))?/),
                    let place = Failpoint(rawValue: String(match.place))
                else { preconditionFailure("MOBIUS_FAILPOINTS has an entry that cannot be parsed: \(entry)") }
                let count = match.count.flatMap { Int($0) } ?? 1
                traps[place] = Trap(signal: match.action == "kill" ? SIGKILL : SIGSTOP, passesLeft: count)
            }
            self.traps = Mutex(traps)
        }

        func pass(_ place: Failpoint) {
            let signal: Int32? = traps.withLock { traps in
                guard var trap = traps[place] else { return nil }
                trap.passesLeft -= 1
                traps[place] = trap.passesLeft == 0 ? nil : trap
                return trap.passesLeft == 0 ? trap.signal : nil
            }
            // A signal to the own process is delivered before kill() returns, so nothing after this place happens.
            if let signal { kill(getpid(), signal) }
        }
    }
#endif
