/// What a run is held to: the six promises, and what a reader of them takes for granted.
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
    /// Lost workers and hung handlers are noticed in time, and become events.
    case noticed = "6 what is lost is noticed"
    /// When nothing goes wrong any more, everything ends.
    case quiet = "everything ends"
    /// No worker gets more than it can take, and each gets as much when there is enough.
    case credit = "workers get what they can take"
    /// Nobody does work twice without a reason.
    case economy = "nothing runs again without a reason"
    /// Both sides keep to the protocol, whatever they are told.
    case conduct = "processes keep to the rules"
    /// The program's own view of its world.
    case program = "the program's own check"
}

/// One promise that was broken, in a sentence.
package struct Complaint: Equatable, Sendable, CustomStringConvertible {
    package let promise: Promise
    package let sentence: String

    package init(_ promise: Promise, _ sentence: String) {
        self.promise = promise
        self.sentence = sentence
    }

    package var description: String { "[\(promise.rawValue)] \(sentence)" }
}
