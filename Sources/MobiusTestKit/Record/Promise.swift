/// A promise that is checked in a run: one of the six, or one that they imply.
package enum Promise: String, Sendable, CaseIterable {
    /// Per loop, events are applied one at a time, in journal order, each exactly once.
    case appliedOnce = "1 events are applied once, in order"
    /// An effect starts only after the event that asked for it is on disk.
    case startsAfterCommit = "2 effects start after their commit"
    /// An effect runs at least once, or at most once, always under the same idempotency key.
    case runs = "3 effects run as often as promised"
    /// The events of one attempt arrive in the order they were sent.
    case attemptInOrder = "4 an attempt's events keep their order"
    /// No crash loses an acknowledged event or an effect.
    case nothingLost = "5 nothing is lost"
    /// Lost workers and hung handlers are detected in time, and become events.
    case noticed = "6 losses and hangs are detected"
    /// After the last fault, every effect and every request ends.
    case quiet = "everything ends"
    /// No worker gets more effects than its capacity, and each gets as many when enough effects wait.
    case credit = "workers are filled to their capacity"
    /// No effect runs again without a reason.
    case economy = "nothing runs again without a reason"
    /// Both sides follow the protocol, whatever they receive.
    case conduct = "processes follow the protocol"
    /// Whatever clients read is on disk, and never older than what was confirmed before; watchers get the last model.
    case reading = "reads show committed and current state"
    /// The facts by which loops are found are those of their models after the last event on disk.
    case facts = "loops are found by what they are"
    /// Each confirmation of a key carries the number and the answer of the one event that was applied under it.
    case answering = "every confirmation of a key carries the same answer"
    /// Nothing leaves a coordinator without its lease, no commit follows a later epoch, and one process gets the lease in time.
    case lease = "one coordinator acts at a time"
    /// Shards that share a limit never start more than it allows, whatever is lost between them and the database.
    case limits = "a limit of a cluster holds in all shards"
    /// The work of a step is bounded by what the step is about, and not by all that the coordinator has.
    case cost = "a step costs no more than what it is about"
    /// A trap of the program holds the loop for which it was called, and no other, until an operator or a new build helps.
    case quarantine = "a trap holds its loop alone"
    /// The checks of the simulated program itself.
    case program = "the program's own check"
}

/// A broken promise, described in one sentence.
package struct Violation: Equatable, Sendable, CustomStringConvertible {
    package let promise: Promise
    package let sentence: String

    package init(_ promise: Promise, _ sentence: String) {
        self.promise = promise
        self.sentence = sentence
    }

    package var description: String { "[\(promise.rawValue)] \(sentence)" }
}
