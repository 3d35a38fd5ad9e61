import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Lets `mobius up` tell a process that a signal stopped from one that has done its work.
///
/// A process that catches SIGTERM, stops in order and exits with 0 looks as if it were done. Under `mobius up` it
/// therefore ends by the signal itself when it has stopped, as is the custom for programs that catch signals.
package final class SupervisedEnd: Sendable {
    /// The environment variable that every process of a fleet of `mobius up` has.
    package static let variable = "MOBIUS_RUN"

    private let number = Mutex<Int32?>(nil)
    private let isSupervised: Bool

    /// Makes one before any signal was caught.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        isSupervised = environment[Self.variable] != nil
    }

    /// Records a signal that was caught.
    package func caught(_ signal: Int32) {
        number.withLock { $0 = $0 ?? signal }
    }

    /// Ends the process by the signal that was caught, if one was, under `mobius up`; returns otherwise.
    package func endBySignal() {
        guard isSupervised, let number = number.withLock({ $0 }) else { return }
        fflush(nil)
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
    }
}
