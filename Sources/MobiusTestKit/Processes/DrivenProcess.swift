import MobiusEngine

/// What befalls a process in the middle of what it does.
package enum Fate: Equatable, Sendable {
    /// It is gone, between any two steps.
    case killed
    /// It stops for so long, and then goes on as if nothing had been.
    case stopped(Duration)
}

/// A process whose driver performs one action at a time, so that it can be killed or stopped between any two of them.
class DrivenProcess {
    let name: String
    private(set) var isAlive = true
    private(set) var isStopped = false
    /// What came while it was busy or stopped.
    private var inbox: [(isMessage: Bool, act: () -> Void)] = []
    private var isBusy = false
    /// How many actions until its fate strikes.
    private var fate: (after: Int, Fate)?
    /// Whether anything was done since the deadline was last looked at.
    private var isNews = true
    private var deadline: Moment?
    /// Performs the fate.
    var meets: (Fate) -> Void = { _ in }

    init(name: String) {
        self.name = name
    }

    /// When the driver is to be called, while the process runs.
    final var nextDeadline: Moment? {
        if isNews {
            isNews = false
            deadline = isAlive && !isStopped ? driverDeadline : nil
        }
        return deadline
    }

    /// When the driver is to be called.
    var driverDeadline: Moment? { nil }

    /// Whether an action waits to be performed.
    var hasAction: Bool { false }

    /// Whether an input waits for the machine's decision.
    var hasInput: Bool { false }

    /// Performs the next action, or has the machine decide on the next input.
    func step() { preconditionFailure("Every process has a driver.") }

    /// Lets a fate strike after so many more actions.
    func doom(after count: Int, _ fate: Fate) { self.fate = (count, fate) }

    func spare() { fate = nil }

    /// Does something in this process, as soon as it can; a message that comes to a full buffer is lost.
    ///
    /// - Returns: whether it was not lost.
    @discardableResult
    func act(isMessage: Bool = false, roomFor limit: Int = .max, _ act: @escaping () -> Void) -> Bool {
        guard isAlive else { return false }
        isNews = true
        if isBusy || isStopped {
            if isMessage, inbox.count(where: \.isMessage) >= limit { return false }
            inbox.append((isMessage, act))
        } else {
            isBusy = true
            act()
            run()
        }
        return true
    }

    /// Does something before all that came while it was stopped.
    func actFirst(_ act: @escaping () -> Void) { inbox.insert((false, act), at: 0) }

    private func run() {
        while isAlive, !isStopped {
            if hasAction {
                strike()
                guard isAlive, !isStopped else { return }
                step()
            } else if hasInput {
                step()
            } else if !inbox.isEmpty {
                inbox.removeFirst().act()
            } else {
                isBusy = false
                return
            }
        }
    }

    private func strike() {
        guard var next = fate else { return }
        next.after -= 1
        fate = next
        guard next.after < 0 else { return }
        fate = nil
        meets(next.1)
    }

    func die() {
        isAlive = false
        isNews = true
        inbox = []
    }

    func stop() {
        isStopped = true
        isNews = true
    }

    /// Goes on where it stopped.
    func wake() {
        guard isAlive, isStopped else { return }
        isStopped = false
        isNews = true
        isBusy = true
        run()
    }
}
