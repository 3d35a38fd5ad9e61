package import MobiusEngine
package import MobiusTransport
package import MobiusWire

/// Keeps the order of events that clients send without waiting for the answers.
///
/// Requests of a connection arrive in the order in which they were sent. When one is not applied, the later ones of its
/// connection are turned away, too, until it is repeated: then each of them in turn. A client that never repeats it harms
/// itself only.
package struct OrderGate {
    /// The connections with requests to be repeated that are remembered; further ones displace the oldest.
    package static let peers = 1024
    /// The requests to be repeated that are remembered of one connection.
    package static let requestsPerPeer = 1024

    /// The numbers of the requests that were turned away and must be repeated, in ascending order.
    private var turnedAway: [PeerID: [UInt64]] = [:]
    private var inOrder: [PeerID] = []
    /// The orders of requests that wait for their answers.
    private var waiting: [RequestID: SendOrder] = [:]

    package init() {}

    /// Whether a request may be handled now; otherwise answer BUSY.
    package mutating func admits(_ number: UInt64, from peer: PeerID, _ order: SendOrder) -> Bool {
        guard order != .free, let first = turnedAway[peer]?.first else { return true }
        guard number > first else {
            if number == first { forgetFirst(of: peer) }
            return true
        }
        turnAway(number, of: peer)
        return false
    }

    /// A request waits for its answer.
    package mutating func took(_ id: RequestID, _ order: SendOrder) {
        if order != .free { waiting[id] = order }
    }

    /// A waiting request gets this answer.
    package mutating func answered(_ id: RequestID, _ number: UInt64, of peer: PeerID, _ answer: ClientAnswer) {
        guard !waiting.isEmpty, let order = waiting.removeValue(forKey: id) else { return }
        answered(number, of: peer, order, answer)
    }

    /// A request gets this answer at once.
    package mutating func answered(_ number: UInt64, of peer: PeerID, _ order: SendOrder, _ answer: ClientAnswer) {
        switch (order, answer) {
        case (.free, _), (_, .done), (_, .dropped): break
        case (_, .busy), (.chained, _): turnAway(number, of: peer)
        default: break
        }
    }

    private mutating func turnAway(_ number: UInt64, of peer: PeerID) {
        guard var numbers = turnedAway[peer] else {
            if inOrder.count >= Self.peers { turnedAway[inOrder.removeFirst()] = nil }
            inOrder.append(peer)
            turnedAway[peer] = [number]
            return
        }
        guard numbers.count < Self.requestsPerPeer || number < numbers[numbers.count - 1] else { return }
        turnedAway[peer] = nil  // so that the array is changed in place
        let place = numbers.last.map { $0 < number } ?? true ? numbers.count : numbers.partitioningIndex(of: number)
        if place == numbers.count || numbers[place] != number { numbers.insert(number, at: place) }
        if numbers.count > Self.requestsPerPeer { numbers.removeLast() }
        turnedAway[peer] = numbers
    }

    private mutating func forgetFirst(of peer: PeerID) {
        turnedAway[peer]?.removeFirst()
        guard turnedAway[peer]?.isEmpty == true else { return }
        turnedAway[peer] = nil
        inOrder.removeAll { $0 == peer }
    }
}

extension [UInt64] {
    /// The place of the first element that is not less than the number.
    fileprivate func partitioningIndex(of number: UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
