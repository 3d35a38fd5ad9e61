import MobiusWire

/// The models after some events of a loop, computed again.
struct ReplayedModels {
    /// The bytes after which a page of a history has no further models.
    static let pageBytes = 4 << 20

    /// The number of the last event that was applied.
    var newest: UInt64 = 0
    /// In the order of their events.
    private(set) var models: [(sequence: UInt64, model: Payload)] = []
    /// The reason why there are no more.
    var failure: (any Error)?
    private var bytes = 0

    init(failure: (any Error)? = nil) {
        self.failure = failure
    }

    /// Whether another one can be added; the first always can.
    var hasRoom: Bool { bytes < Self.pageBytes }

    mutating func add(_ model: Payload, after sequence: UInt64) {
        models.append((sequence, model))
        bytes += model.bytes.count
    }
}
