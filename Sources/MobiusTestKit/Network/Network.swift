package import MobiusEngine

/// Rates of message faults, each per 10,000 messages; 0 by default.
package struct NetworkFaults: Sendable {
    /// Lost, as in a full buffer.
    package var lost = 0
    /// Delivered twice in succession.
    package var doubled = 0
    /// Delayed, together with all later messages of the same direction.
    package var delayed = 0
    /// Truncated at a random length.
    package var cut = 0

    package init(lost: Int = 0, doubled: Int = 0, delayed: Int = 0, cut: Int = 0) {
        self.lost = lost
        self.doubled = doubled
        self.delayed = delayed
        self.cut = cut
    }
}

/// One delivery of a message: the bytes that arrive, and when they arrive.
package struct Delivery: Equatable, Sendable {
    package let bytes: [UInt8]
    package let moment: Moment
    /// Whether the message was truncated.
    package let isCut: Bool

    package init(bytes: [UInt8], moment: Moment, isCut: Bool) {
        self.bytes = bytes
        self.moment = moment
        self.isCut = isCut
    }
}

/// Delivers, delays, truncates, duplicates or drops messages, but keeps their order in each direction of a link.
package struct Network: Sendable {
    package var faults: NetworkFaults

    package init(faults: NetworkFaults) {
        self.faults = faults
    }

    /// The deliveries of a message that is sent now; empty if the message is lost.
    package func deliveries(
        of bytes: [UInt8], over link: Link, _ way: Link.Way, at now: Moment, _ chance: inout Chance
    ) -> [Delivery] {
        guard !chance.happens(faults.lost) else { return [] }
        let travel = chance.happens(faults.delayed) ? chance.milliseconds(20...900) : chance.microseconds(30...1500)
        let last = way == .toWorker ? link.lastArrivalAtWorker : link.lastArrivalAtCoordinator
        let moment = max(last, now + travel)
        if way == .toWorker { link.lastArrivalAtWorker = moment } else { link.lastArrivalAtCoordinator = moment }
        if chance.happens(faults.cut), bytes.count > 1 {
            let rest = Array(bytes.prefix(chance.number(0...(bytes.count - 1))))
            return [Delivery(bytes: rest, moment: moment, isCut: true)]
        }
        let delivery = Delivery(bytes: bytes, moment: moment, isCut: false)
        return chance.happens(faults.doubled) ? [delivery, delivery] : [delivery]
    }
}
