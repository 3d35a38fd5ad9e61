import Dispatch
import Foundation
import Synchronization

/// Ends the program, saying what every thread was doing, when nothing has moved for too long.
final class Watchdog: Sendable {
    /// What a thread does at the moment.
    enum Step: Int, Sendable {
        case idle, starting, dispatching, observing, reading, subscribing, waitingForSettlement, waitingForCrew
        case stopping, disposing, waitingForTasks, finished
    }

    /// A thread that says what it does.
    final class Walker: Sendable {
        let name: String
        private let step = Atomic(Step.idle.rawValue)
        private let moves = Atomic(0)

        init(_ name: String) {
            self.name = name
        }

        func now(_ new: Step) {
            step.store(new.rawValue, ordering: .relaxed)
            moves.add(1, ordering: .relaxed)
        }

        var sum: Int { moves.load(ordering: .relaxed) }
        var report: String { "\(name): \(Step(rawValue: step.load(ordering: .relaxed)).map { "\($0)" } ?? "?")" }
    }

    private let walkers: [Walker]
    private let finished = DispatchSemaphore(value: 0)

    /// Begins to watch; `context` says where the program was.
    init(_ walkers: [Walker], patience: Int, context: @escaping @Sendable () -> String) {
        self.walkers = walkers
        let finished = finished
        Thread.detachNewThread {
            var last = -1
            while finished.wait(timeout: .now() + .seconds(patience)) == .timedOut {
                let sum = walkers.map(\.sum).reduce(0, +)
                if sum == last { Self.giveUp(walkers, patience, context()) }
                last = sum
            }
        }
    }

    func end() {
        finished.signal()
    }

    private static func giveUp(_ walkers: [Walker], _ patience: Int, _ context: String) -> Never {
        say("stress: hung: nothing has moved for \(patience) s, \(context)")
        for walker in walkers { say("  \(walker.report)") }
        say("  To see where: run it again and attach a debugger (gdb -p \(ProcessInfo.processInfo.processIdentifier)).")
        _exit(75)
    }
}
