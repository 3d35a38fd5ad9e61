import MobiusWire

extension WorkerMessage {
    /// The number of records it contains; their sum over all senders bounds one round of the edge.
    var recordCount: Int {
        switch self {
        case .events(_, let reports): reports.count
        case .failures(_, let reports): reports.count
        case .heartbeat(_, _, let held), .draining(let held): held.count
        case .hello, .credit, .bye, .reclaim: 0
        }
    }
}
