package import MobiusEngine

/// Tracks one socket's connections: which are identified, and which must end so that peers cannot fill the memory.
///
/// Pure: connections are identified by their file descriptors, and the time is an argument. Each connection that must
/// end is returned once.
package struct ConnectionLedger: Sendable {
    /// The limits on the number of connections, and on their time without a message.
    package struct Limits: Equatable, Sendable {
        /// The most connections in total.
        package var open = 4096
        /// The most connections without a message yet; each may be in its handshake, and hold a frame of maximum size.
        package var unknown = 256
        /// The time that a connection may exist without sending a message; `nil` for no limit.
        package var silence: Duration?
        /// The most connections with the same key.
        package var perKey = 1024
        /// Whether the connection that has been idle for longest is closed when a new one sends its first message; if
        /// `false`, the new one is refused.
        ///
        /// Identified connections then have all places except ``unknown``, which remain free for new connections.
        package var dropsIdlest = false
        /// A connection that exists for longer than this has completed its handshake with libzmq.
        package var handshake = Duration.seconds(4)

        /// Makes the default limits.
        package init() {}
    }

    private enum Phase: Equatable {
        /// It has sent no message.
        case unknown(since: Moment)
        /// It has identified itself by a message, or it has outlasted its handshake and may stay without a message.
        case known(Known)
        /// It receives the reason why it must end, and is then closed.
        case leaving(at: Moment)
    }

    private struct Known: Equatable {
        var key: String?
        var peer: Peer?
        /// Whether it is closed only after all connections without the right `admin`.
        var isOperator = false
        /// Whether it has sent a message.
        var hasSentMessage = false
        /// The position of its last message, or of its promotion, in the order of all of these.
        var lastActivity: UInt64
    }

    /// The result of identifying a connection.
    package enum Introduction: Equatable {
        /// It may stay.
        case welcome
        /// It may stay, and this connection must end instead, which has been idle for longest.
        case instead(of: CInt)
        /// It must end: there are too many connections with its key, or it was dismissed before.
        case refused
    }

    private let limits: Limits
    private var connections: [CInt: Phase] = [:]
    private var perKey: [String: Int] = [:]
    /// All accepted connections, oldest first; some have been identified or have ended since.
    private var order: [(descriptor: CInt, since: Moment)] = []
    private var start = 0
    private var leaving: [(descriptor: CInt, at: Moment)] = []
    private var unknown = 0
    private var known = 0
    private var activities: UInt64 = 0

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// The number of connections.
    package var count: Int { connections.count }

    /// Whether a connection has sent a message.
    package func isKnown(_ descriptor: CInt) -> Bool {
        if case .known(let known)? = connections[descriptor] { known.hasSentMessage } else { false }
    }

    /// A known connection sent a message, so it is the least idle.
    package mutating func noteActivity(_ descriptor: CInt) {
        guard case .known(var known)? = connections[descriptor] else { return }
        known.lastActivity = nextActivity()
        connections[descriptor] = .known(known)
    }

    /// A connection was accepted; returns the one that must end for it, if any.
    package mutating func accepted(_ descriptor: CInt, at now: Moment) -> CInt? {
        forget(descriptor)  // the end of an earlier connection with this descriptor was not reported
        if limits.dropsIdlest { promoteSilent(at: now) }
        connections[descriptor] = .unknown(since: now)
        order.append((descriptor, now))
        unknown += 1
        guard unknown > limits.unknown || connections.count > limits.open else { return nil }
        // The oldest ends: an honest handshake takes milliseconds, an attacker's as long as it is permitted to.
        guard let oldest = popUnknown() else { return nil }
        leave(oldest, at: now)
        return oldest
    }

    /// A connection has ended; returns whether it had sent a message.
    package mutating func ended(_ descriptor: CInt) -> Bool {
        let wasKnown = isKnown(descriptor)
        forget(descriptor)
        return wasKnown
    }

    /// Identifies a connection by its first message.
    package mutating func introduce(
        _ descriptor: CInt, key: String?, _ peer: Peer?, isOperator: Bool = false, at now: Moment
    ) -> Introduction {
        let introduced = Known(
            key: key, peer: peer, isOperator: isOperator, hasSentMessage: true, lastActivity: nextActivity())
        switch connections[descriptor] {
        case .leaving: return .refused
        case .known(let former) where former.key == key && former.hasSentMessage:
            connections[descriptor] = .known(introduced)
            return .welcome
        case .known, .unknown, nil: break
        }
        let exceedsKeyLimit = key.map { perKey[$0, default: 0] >= limits.perKey } ?? false
        if exceedsKeyLimit, !limits.dropsIdlest { return .refused }
        forget(descriptor)
        var idlest: CInt?
        if exceedsKeyLimit {
            idlest = idlestKnown { $0.key == key }
        } else if limits.dropsIdlest, known >= maximumKnown {
            idlest = idlestKnown { _ in true }
        }
        add(descriptor, introduced)
        guard let idlest else { return .welcome }
        leave(idlest, at: now)
        return .instead(of: idlest)
    }

    /// Schedules the end of a connection at `moment`, so that it can receive the reason before.
    package mutating func dismiss(_ descriptor: CInt, at moment: Moment) {
        if case .leaving? = connections[descriptor] { return }
        guard connections[descriptor] != nil else { return }
        leave(descriptor, at: moment)
        leaving.append((descriptor, moment))
    }

    /// Returns the connections whose time is over, each once.
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

    /// The time at which ``overdue(at:)`` must be called; `nil` for never.
    package var nextDeadline: Moment? {
        var next = leaving.map(\.at).min()
        if let silence = limits.silence, start < order.count {
            let due = order[start].since + silence
            next = min(next ?? due, due)
        }
        return next
    }

    /// The identified connections with a key, in the order of their descriptors.
    package var holders: [(descriptor: CInt, key: String, peer: Peer?)] {
        connections.compactMap { descriptor, phase in
            guard case .known(let known) = phase, let key = known.key else { return nil }
            return (descriptor, key, known.peer)
        }.sorted { $0.descriptor < $1.descriptor }
    }

    // MARK: - Bookkeeping

    /// The most known connections if idle ones are closed for others.
    private var maximumKnown: Int { max(1, limits.open - limits.unknown) }

    private mutating func nextActivity() -> UInt64 {
        activities += 1
        return activities
    }

    /// Promotes silent connections to known ones after they have outlasted a handshake, while places are free.
    private mutating func promoteSilent(at now: Moment) {
        while known < maximumKnown, let oldest = popUnknown(until: now + (.zero - limits.handshake)) {
            forget(oldest)
            add(oldest, Known(lastActivity: nextActivity()))
        }
    }

    /// The known connection that has been idle for longest; operators come last.
    private func idlestKnown(where isCandidate: (Known) -> Bool) -> CInt? {
        func rank(_ known: Known) -> (Int, UInt64) { (known.isOperator ? 1 : 0, known.lastActivity) }
        var idlest: (descriptor: CInt, rank: (Int, UInt64))?
        for (descriptor, phase) in connections {
            guard case .known(let known) = phase, isCandidate(known) else { continue }
            if let idlest, idlest.rank < rank(known) { continue }
            idlest = (descriptor, rank(known))
        }
        return idlest?.descriptor
    }

    private mutating func add(_ descriptor: CInt, _ added: Known) {
        connections[descriptor] = .known(added)
        known += 1
        if let key = added.key { perKey[key, default: 0] += 1 }
    }

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
        case .known(let former):
            known -= 1
            guard let key = former.key else { return }
            let left = (perKey[key] ?? 1) - 1
            perKey[key] = left == 0 ? nil : left
        case .unknown: unknown -= 1
        case .leaving, nil: break
        }
    }

    /// Removes and returns the oldest connection without a message, if it was accepted no later than `moment`.
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
}
