import MobiusEngine

/// One connection between a worker process and a coordinator process; each direction is first in, first out.
package final class Link {
    package enum Way: String, Sendable, CaseIterable {
        case toCoordinator = "to the coordinator"
        case toWorker = "to the worker"
    }

    package let number: UInt64
    /// The index of the worker's place.
    package let place: Int
    /// The epoch of the coordinator process at the other end.
    package let epoch: UInt64
    /// Whether the worker's end is open.
    package var isOpen = true
    /// Whether the coordinator has detected the end of the link; until then, messages to the worker are dropped.
    package var isEndDetected = false
    /// Directions in which messages are dropped silently.
    package var muted: Set<Way> = []
    /// The newest PULSE that the coordinator sent, encoded.
    var pulse: [UInt8]?
    /// The newest HEARTBEAT that the worker sent, encoded.
    var heartbeat: [UInt8]?
    /// The time at which the newest message to the coordinator arrives.
    var lastArrivalAtCoordinator = Moment(nanoseconds: 0)
    /// The time at which the newest message to the worker arrives.
    var lastArrivalAtWorker = Moment(nanoseconds: 0)

    package init(number: UInt64, place: Int, epoch: UInt64) {
        self.number = number
        self.place = place
        self.epoch = epoch
    }
}
