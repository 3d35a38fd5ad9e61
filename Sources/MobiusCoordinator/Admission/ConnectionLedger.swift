package import MobiusEngine

/// The connections of one socket: which have said who they are, and which must end so that strangers cannot fill the memory.
///
/// Pure: it names connections by their descriptors and takes the time in. Whoever it wants ended is named once.
package struct ConnectionLedger: Sendable {
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
        /// Whether the connection that has been idle for longest goes for one that says its first word; else the new one goes.
        ///
        /// Then those that have said something have all places but ``unknown``, which are for the ones that come.
        package var dropsIdlest = false
        /// After this time a connection that is still there must have introduced itself to libzmq.
        package var handshake = Duration.seconds(4)

        package init() {}
    }

    private enum Phase: Equatable {
        /// It has said nothing.
        case unknown(since: Moment)
        /// It has said something, and who it is; or its handshake must be over, and it may stay without a word.
        case known(Known)
        /// It hears why it must go, and then goes.
        case leaving(at: Moment)
    }

    private struct Known: Equatable {
        var key: String?
        var peer: Peer?
        /// Whether others go before it.
        var isOperator = false
        /// Whether it has said anything.
        var hasSpoken = false
        /// When it last did, or came to stay, in the order of all that did.
        var lastSign: UInt64
    }

    /// What became of a connection that said who it is.
    package enum Introduction: Equatable {
        /// It may stay.
        case welcome
        /// It may stay, and this one must end for it, which has been idle for longest.
        case instead(of: CInt)
        /// It must go: there are too many of its key, or it was told to go before.
        case refused
    }

    private let limits: Limits
    private var connections: [CInt: Phase] = [:]
    private var perKey: [String: Int] = [:]
    /// Those that came, oldest first; some have said something since, or gone.
    private var order: [(descriptor: CInt, since: Moment)] = []
    private var start = 0
    private var leaving: [(descriptor: CInt, at: Moment)] = []
    private var unknown = 0
    private var known = 0
    private var signs: UInt64 = 0

    package init(_ limits: Limits) {
        self.limits = limits
    }

    /// How many connections there are.
    package var count: Int { connections.count }

    /// Whether a connection has said something.
    package func isKnown(_ descriptor: CInt) -> Bool {
        if case .known(let known)? = connections[descriptor] { known.hasSpoken } else { false }
    }

    /// A connection that is known said something: it is the least idle.
    package mutating func hear(_ descriptor: CInt) {
        guard case .known(var known)? = connections[descriptor] else { return }
        known.lastSign = nextSign()
        connections[descriptor] = .known(known)
    }

    /// A connection was made; says which must end for it.
    package mutating func accepted(_ descriptor: CInt, at now: Moment) -> CInt? {
        forget(descriptor)  // its end was not seen
        if limits.dropsIdlest { settleSilent(at: now) }
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

    /// A connection said who it is.
    package mutating func introduce(
        _ descriptor: CInt, key: String?, _ peer: Peer?, isOperator: Bool = false, at now: Moment
    ) -> Introduction {
        let introduced = Known(
            key: key, peer: peer, isOperator: isOperator, hasSpoken: true, lastSign: nextSign())
        switch connections[descriptor] {
        case .leaving: return .refused
        case .known(let former) where former.key == key && former.hasSpoken:
            connections[descriptor] = .known(introduced)
            return .welcome
        case .known, .unknown, nil: break
        }
        let isOneTooMany = key.map { perKey[$0, default: 0] >= limits.perKey } ?? false
        if isOneTooMany, !limits.dropsIdlest { return .refused }
        forget(descriptor)
        var idlest: CInt?
        if isOneTooMany {
            idlest = idlestKnown { $0.key == key }
        } else if limits.dropsIdlest, known >= mostKnown {
            idlest = idlestKnown { _ in true }
        }
        add(descriptor, introduced)
        guard let idlest else { return .welcome }
        leave(idlest, at: now)
        return .instead(of: idlest)
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
            guard case .known(let known) = phase, let key = known.key else { return nil }
            return (descriptor, key, known.peer)
        }.sorted { $0.descriptor < $1.descriptor }
    }

    // MARK: - Books

    /// How many may be known where idle ones go for others.
    private var mostKnown: Int { max(1, limits.open - limits.unknown) }

    private mutating func nextSign() -> UInt64 {
        signs += 1
        return signs
    }

    /// Counts silent connections as known once they outlast a handshake, while there are places.
    private mutating func settleSilent(at now: Moment) {
        while known < mostKnown, let oldest = popUnknown(until: now + (.zero - limits.handshake)) {
            forget(oldest)
            add(oldest, Known(lastSign: nextSign()))
        }
    }

    /// The one that has been idle for longest, operators last.
    private func idlestKnown(where isMeant: (Known) -> Bool) -> CInt? {
        func rank(_ known: Known) -> (Int, UInt64) { (known.isOperator ? 1 : 0, known.lastSign) }
        var idlest: (descriptor: CInt, rank: (Int, UInt64))?
        for (descriptor, phase) in connections {
            guard case .known(let known) = phase, isMeant(known) else { continue }
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
}
