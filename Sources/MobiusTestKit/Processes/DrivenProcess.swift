import MobiusEngine

/// A fault that is injected between two steps of a process.
package enum Fault: Equatable, Sendable {
    /// The process ends, as after SIGKILL.
    case killed
    /// The process stops for this long, as after SIGSTOP and SIGCONT.
    case stopped(Duration)
}

/// A process whose driver performs one action at a time, so that it can be killed or stopped between any two of them.
package class DrivenProcess {
    package let name: String
    package private(set) var isAlive = true
    package private(set) var isStopped = false
    /// Whether the process waits until its lease is trusted.
    package private(set) var isAtGate = false
    /// Inputs that arrived while the process was busy or stopped.
    private var inbox: [(isMessage: Bool, act: () -> Void)] = []
    private var isBusy = false
    /// The scheduled fault, and the number of actions that are performed before it.
    private var fault: (after: Int, Fault)?
    /// Whether the process has acted since `deadline` was computed.
    private var isDeadlineStale = true
    private var deadline: Moment?
    /// Called when the scheduled fault is due.
    var onFault: (Fault) -> Void = { _ in }

    init(name: String) {
        self.name = name
    }

    /// Whether the process performs nothing now.
    final var isPaused: Bool { isStopped || isAtGate }

    /// The driver's next deadline; `nil` if there is none, or while the process is stopped, dead, or at its gate.
    final var nextDeadline: Moment? {
        if isDeadlineStale {
            isDeadlineStale = false
            deadline = isAlive && !isPaused ? driverDeadline : nil
        }
        return deadline
    }

    /// The driver's next deadline, whatever the state of the process.
    var driverDeadline: Moment? { nil }

    var hasAction: Bool { false }

    var hasInput: Bool { false }

    /// Whether the process waits at its gate before it handles what came.
    var waitsBeforeInput: Bool { false }

    /// Whether the process waits at its gate before the next action.
    var waitsBeforeAction: Bool { false }

    /// Performs the next action, or handles the next input if there is no action.
    func step() { preconditionFailure("Every process has a driver.") }

    /// Schedules a fault after `count` more actions.
    package func inject(after count: Int, _ fault: Fault) { self.fault = (count, fault) }

    /// Cancels the scheduled fault.
    package func cancelFault() { fault = nil }

    /// Runs `act` in this process: at once, or when the process is no longer busy or stopped.
    ///
    /// A message that arrives while `limit` messages wait is dropped, and so is any input of a dead process.
    ///
    /// - Returns: whether the input was accepted.
    @discardableResult
    package func act(isMessage: Bool = false, roomFor limit: Int = .max, _ act: @escaping () -> Void) -> Bool {
        guard isAlive else { return false }
        isDeadlineStale = true
        if !isBusy, !isPaused, waitsBeforeInput { waitAtGate() }
        if isBusy || isPaused {
            if isMessage, inbox.count(where: \.isMessage) >= limit { return false }
            inbox.append((isMessage, act))
        } else {
            isBusy = true
            act()
            run()
        }
        return true
    }

    /// Whether messages wait to be read.
    final var messagesWait: Bool { inbox.contains(where: \.isMessage) }

    /// Inserts an action before all inputs that wait.
    func actFirst(_ act: @escaping () -> Void) { inbox.insert((false, act), at: 0) }

    private func run() {
        while isAlive, !isPaused {
            if hasAction {
                applyFault()
                guard isAlive, !isPaused else { return }
                guard !waitsBeforeAction else { return waitAtGate() }
                step()
            } else if hasInput {
                step()
            } else if !inbox.isEmpty {
                guard !waitsBeforeInput else { return waitAtGate() }
                inbox.removeFirst().act()
            } else {
                isBusy = false
                return
            }
        }
    }

    /// Applies the scheduled fault if it is due.
    func applyFault() {
        guard var next = fault else { return }
        next.after -= 1
        fault = next
        guard next.after < 0 else { return }
        fault = nil
        onFault(next.1)
    }

    package func die() {
        isAlive = false
        isDeadlineStale = true
        inbox = []
    }

    package func stop() {
        isStopped = true
        isDeadlineStale = true
    }

    /// Continues a stopped process.
    package func wake() {
        guard isAlive, isStopped else { return }
        isStopped = false
        resume()
    }

    /// Waits until ``proceed()``.
    func waitAtGate() {
        isAtGate = true
        isDeadlineStale = true
    }

    /// Ends the wait at the gate.
    package func proceed() {
        guard isAlive, isAtGate else { return }
        isAtGate = false
        resume()
    }

    private func resume() {
        guard !isPaused else { return }
        isDeadlineStale = true
        isBusy = true
        run()
    }
}
