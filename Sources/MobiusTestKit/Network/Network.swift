package import MobiusEngine

/// How often messages come to harm, each out of ten thousand; all zero on a good day.
package struct NetworkFaults: Sendable {
    /// Lost in a full buffer.
    package var lost = 0
    /// Delivered twice, one after the other.
    package var doubled = 0
    /// Held up, with everything behind it.
    package var delayed = 0
    /// Cut off somewhere.
    package var cut = 0

    package init(lost: Int = 0, doubled: Int = 0, delayed: Int = 0, cut: Int = 0) {
        self.lost = lost
        self.doubled = doubled
        self.delayed = delayed
        self.cut = cut
    }
}

/// What becomes of one message: the bytes that arrive, and when.
package struct Delivery: Equatable, Sendable {
    package let bytes: [UInt8]
    package let moment: Moment
    /// Whether these are fewer bytes than were sent.
    package let isCut: Bool
}

/// Decides the fate of messages: within one way of one link they keep their order, whatever else happens to them.
package struct Network: Sendable {
    package var faults: NetworkFaults

    package init(faults: NetworkFaults) {
        self.faults = faults
    }

    /// The deliveries of one message that is sent now: none when it is lost.
    package func deliveries(
        of bytes: [UInt8], over link: Link, _ way: Link.Way, at now: Moment, _ chance: inout Chance
    ) -> [Delivery] {
        guard !chance.happens(faults.lost) else { return [] }
        let travel = chance.happens(faults.delayed) ? chance.milliseconds(20...900) : chance.microseconds(30...1500)
        let last = way == .toWorker ? link.lastDown : link.lastUp
        let moment = max(last, now + travel)
        if way == .toWorker { link.lastDown = moment } else { link.lastUp = moment }
        if chance.happens(faults.cut), bytes.count > 1 {
            let rest = Array(bytes.prefix(chance.number(0...(bytes.count - 1))))
            return [Delivery(bytes: rest, moment: moment, isCut: true)]
        }
        let delivery = Delivery(bytes: bytes, moment: moment, isCut: false)
        return chance.happens(faults.doubled) ? [delivery, delivery] : [delivery]
    }
}
