import MobiusTransport
import Synchronization

/// The way of code in this process to the loops: the mailbox of the thread that runs them now.
///
/// Each time that the loops are run has a mailbox of its own, so that nothing that was meant for an earlier one arrives.
final class CurrentMailbox<Input: Sendable>: Sendable {
    private struct State {
        var mailbox: Mailbox<Input>
        var isOpen: Bool
    }

    /// Wakes the thread that runs the loops, whichever that is.
    let wakeUp = WakeUp()
    private let state: Mutex<State>

    /// Makes one; what is posted to an open one waits for the thread.
    init(isOpen: Bool) {
        state = Mutex(State(mailbox: Mailbox(wakeUp: wakeUp), isOpen: isOpen))
    }

    /// The mailbox of now.
    var mailbox: Mailbox<Input> { state.withLock { $0.mailbox } }

    /// Posts an input to the thread that runs the loops.
    ///
    /// - Returns: whether one does.
    @discardableResult
    func post(_ input: Input) -> Bool {
        state.withLock { state in
            if state.isOpen { state.mailbox.post(input) }
            return state.isOpen
        }
    }

    /// The loops are run from now on; inputs go to the mailbox that it returns.
    func open() -> Mailbox<Input> {
        state.withLock { state in
            state = State(mailbox: Mailbox(wakeUp: wakeUp), isOpen: true)
            return state.mailbox
        }
    }

    /// The loops are run no more: inputs are not taken.
    func close() {
        state.withLock { $0.isOpen = false }
    }
}
