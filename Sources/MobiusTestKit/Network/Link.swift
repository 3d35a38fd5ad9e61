import MobiusEngine

/// One connection of one worker process to one coordinator process: first in, first out each way, until it ends.
package final class Link {
    package enum Way: String, Sendable, CaseIterable {
        case toCoordinator = "to the coordinator"
        case toWorker = "to the worker"
    }

    package let number: UInt64
    /// Which worker's place it belongs to.
    package let place: Int
    /// The epoch of the coordinator process at its other end.
    package let epoch: UInt64
    /// Whether the worker's end exists.
    package var isOpen = true
    /// Whether the coordinator's end was told that it is over; one whose end is not seen swallows what is sent.
    package var isSeenGone = false
    /// Ways on which nothing arrives, though nobody is told.
    package var muted: Set<Way> = []
    /// The newest sign of life each way, as it was sent.
    var pulse: [UInt8]?
    var heartbeat: [UInt8]?
    /// When the newest message of each way arrives.
    var lastUp = Moment(nanoseconds: 0)
    var lastDown = Moment(nanoseconds: 0)

    package init(number: UInt64, place: Int, epoch: UInt64) {
        self.number = number
        self.place = place
        self.epoch = epoch
    }
}
