package import MobiusEngine

/// The connections of one socket: which have said who they are, and which must end so that strangers cannot fill the memory.
///
/// Pure: it names connections by their descriptors and takes the time in. Whoever it wants ended is named once.
package struct ConnectionLedger: Equatable, Sendable {
    /// How many connections there may be, and for how long without a word.
    package struct Limits: Equatable, Sendable {
        /// All connections.
        package var open = 4096
        /// Those that have said nothing yet; they may be in their handshake, and hold a frame of the largest size.
        package var unknown = 256
        /// How long a connection may be there without a word; `nil` for as long as it likes.
        package var silence: Duration?
        /// Those that proved to hold the same key.
        package var perKey = 1024

        package init() {}
    }

    private enum Phase: Equatable {
        /// It has said nothing.
        case unknown(since: Moment)
        /// It has said something, and who it is.
        case known(key: String?, Peer?)
        /// It hears why it must go, and then goes.
        case leaving(at: Moment)
    }

    private let limits: Limits
    private var connections: [CInt: Phase] = [:]
    private var perKey: [String: Int] = [:]
    /// Those that came, oldest first; some have said something since, or gone.
    private var order: [(descriptor: CInt, since: Moment)] = []
    private var start = 0
    private var leaving: [(descriptor: CInt, at: Moment)] = []
    private var unknown = 0

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// How many connections there are.
    package var count: Int { connections.count }

    /// Whether a connection has said something.
    package func isKnown(_ descriptor: CInt) -> Bool {
        if case .known? = connections[descriptor] { true } else { false }
    }

    /// A connection was made; says which must end for it.
    package mutating func accepted(_ descriptor: CInt, at now: Moment) -> CInt? {
        forget(descriptor)  // its end was not seen
        connections[descriptor] = .unknown(since: now)
        order.append((descriptor, now))
        unknown += 1
        guard unknown > limits.unknown || connections.count > limits.open else { return nil }
        // The oldest goes: an honest handshake takes milliseconds, a dishonest one all the time it gets.
        guard let oldest = popUnknown() else { return nil }
        leave(oldest, at: now)
        return oldest
    }

    /// A connection is over; says whether it was one that had said something.
    package mutating func ended(_ descriptor: CInt) -> Bool {
        let wasKnown = isKnown(descriptor)
        forget(descriptor)
        return wasKnown
    }

    /// A connection said who it is; `false` when there are too many of its key.
    package mutating func introduce(_ descriptor: CInt, key: String?, _ peer: Peer?) -> Bool {
        switch connections[descriptor] {
        case .leaving: return false
        case .known(key, _):
            connections[descriptor] = .known(key: key, peer)
            return true
        case .known, .unknown, nil: break
        }
        if let key, perKey[key, default: 0] >= limits.perKey { return false }
        forget(descriptor)
        connections[descriptor] = .known(key: key, peer)
        if let key { perKey[key, default: 0] += 1 }
        return true
    }

    /// A connection must go a moment later, when it has heard why.
    package mutating func dismiss(_ descriptor: CInt, at moment: Moment) {
        if case .leaving? = connections[descriptor] { return }
        guard connections[descriptor] != nil else { return }
        leave(descriptor, at: moment)
        leaving.append((descriptor, moment))
    }

    /// Those whose time is over; each is named once.
    package mutating func overdue(at now: Moment) -> [CInt] {
        var ended: [CInt] = []
        if !leaving.isEmpty {
            ended = leaving.filter { $0.at <= now && connections[$0.descriptor] == .leaving(at: $0.at) }.map(
                \.descriptor)
            leaving.removeAll { $0.at <= now }
        }
        guard let silence = limits.silence else { return ended }
        while let oldest = popUnknown(until: now + (.zero - silence)) {
            leave(oldest, at: now)
            ended.append(oldest)
        }
        return ended
    }

    /// When ``overdue(at:)`` has something to say.
    package var nextDeadline: Moment? {
        var next = leaving.map(\.at).min()
        if let silence = limits.silence, start < order.count {
            let due = order[start].since + silence
            next = min(next ?? due, due)
        }
        return next
    }

    /// Those that said who they are, with a key.
    package var holders: [(descriptor: CInt, key: String, peer: Peer?)] {
        connections.compactMap { descriptor, phase in
            guard case .known(let key?, let peer) = phase else { return nil }
            return (descriptor, key, peer)
        }.sorted { $0.descriptor < $1.descriptor }
    }

    // MARK: - Books

    private mutating func forget(_ descriptor: CInt) {
        uncount(descriptor)
        connections[descriptor] = nil
    }

    private mutating func leave(_ descriptor: CInt, at moment: Moment) {
        uncount(descriptor)
        connections[descriptor] = .leaving(at: moment)
    }

    private mutating func uncount(_ descriptor: CInt) {
        switch connections[descriptor] {
        case .known(let key?, _):
            let left = (perKey[key] ?? 1) - 1
            perKey[key] = left == 0 ? nil : left
        case .unknown: unknown -= 1
        case .known, .leaving, nil: break
        }
    }

    /// The first connection that has said nothing, if it came by this moment.
    private mutating func popUnknown(until moment: Moment? = nil) -> CInt? {
        while start < order.count {
            let oldest = order[start]
            let isUnknown = connections[oldest.descriptor] == .unknown(since: oldest.since)
            if isUnknown, let moment, oldest.since > moment { return nil }
            start += 1
            if start > 64, start * 2 > order.count {
                order.removeFirst(start)
                start = 0
            }
            if isUnknown { return oldest.descriptor }
        }
        return nil
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.connections == rhs.connections && lhs.limits == rhs.limits
    }
}
