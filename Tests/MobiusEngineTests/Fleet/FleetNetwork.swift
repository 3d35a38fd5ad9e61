import MobiusEngine

/// What waits for its moment.
enum FleetEvent {
    case toCoordinator(connection: UInt64, [UInt8])
    case toWorker(connection: UInt64, [UInt8])
    case connect(slot: Int, life: Int)
    case handler(slot: Int, life: Int, FleetHandler)
    case local(epoch: UInt64, FleetHandler)
    case committed(epoch: UInt64)
    case flushCoordinator(epoch: UInt64)
    case flushWorker(slot: Int, life: Int)
    case unreachable(epoch: UInt64, Peer)
    case connectionEnded(epoch: UInt64)
    case startCoordinator
    case startWorker(slot: Int)
    case outside(key: String)
}

/// Events in the order of their moments; of equal moments the one set first.
struct FleetAgenda {
    private var entries: [(moment: Moment, event: FleetEvent)] = []

    var next: Moment? { entries.last?.moment }

    mutating func add(_ event: FleetEvent, at moment: Moment) {
        var place = entries.count
        // The last entry is the next one: among equals the newcomer goes before, to be taken later.
        while place > 0, entries[place - 1].moment <= moment { place -= 1 }
        entries.insert((moment, event), at: place)
    }

    mutating func take() -> FleetEvent? {
        entries.popLast()?.event
    }
}

/// One connection of one worker: first in, first out in both directions, until it breaks.
struct FleetConnection {
    let slot: Int
    /// Nothing arrives, and nobody is told.
    var muted = false
    var lastUp = Moment(nanoseconds: 0)
    var lastDown = Moment(nanoseconds: 0)
}
