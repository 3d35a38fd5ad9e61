import MobiusWire

extension WorkerMessage {
    /// How many records it brings: what a round of the edge takes in is bounded by their sum over all senders.
    var recordCount: Int {
        switch self {
        case .events(_, let reports): reports.count
        case .failures(_, let reports): reports.count
        case .heartbeat(_, _, let held), .draining(let held): held.count
        case .hello, .credit, .bye: 0
        }
    }
}
