import MobiusWire

// Several coordinators: front doors, MOVED, and the search for the owner.
extension ClientMachine {
    /// The time without any answer after which a connection to one of several coordinators is given up; it doubles twice.
    package static let firstSilence = Duration.milliseconds(2500)
    /// The time that a front door may take to answer the first request before it gets the others.
    package static let probeTime = Duration.milliseconds(500)
    /// The pause between two attempts to connect while no request waits.
    package static let idlePause = Duration.seconds(1)

    /// Whether the endpoint came from a MOVED.
    package var isMoved: Bool { rotation.owner != nil }

    /// A request was answered with MOVED: nothing was done.
    mutating func move(
        _ number: UInt64, to endpoint: String?, _ map: ClusterMap?, at now: ContinuousClock.Instant,
        _ actions: inout [Action]
    ) {
        guard asked[number] != nil else { return }
        var endpoint = endpoint
        if let map, map.shards.count > 1 {
            sendAway(by: map, at: now, &actions)
            // An owner that answers so goes on with the rest.
            guard asked[number] != nil || !wasServed else { return }
            endpoint = shard < map.shards.count ? map.shards[shard].clients : nil
        }
        if wasServed {
            asked[number]?.count -= 1
        } else {
            // A front door answers every request like this one.
            for number in asked.keys {
                let here = asked[number]?.countHere ?? 0
                asked[number]?.count -= here
            }
        }
        if endpoint == nil {
            for number in asked.keys { asked[number]?.wasBusy = true }
        }
        connect(after: rotation.move(to: endpoint), at: now, &actions)
    }

    /// Ends all requests, unless they may go on elsewhere: only what the user named can be wrong for good.
    mutating func fail(_ outcome: Outcome, at now: ContinuousClock.Instant, _ actions: inout [Action]) {
        guard !isMoved else { return goOn(.refused, at: now, &actions) }
        // ZeroMQ gives such a connection up, so nothing more is heard until there is a new one.
        if case .forbidden = outcome, !isConnected, !rotation.isCluster {
            refusal = (outcome, until: now + Self.refusalTime)
        }
        finishAll(outcome, &actions)
    }

    /// Goes on to the next front door: at once after the loss of an owner, else after a pause.
    mutating func goOn(
        _ leaving: EndpointRotation.Leaving, at now: ContinuousClock.Instant, _ actions: inout [Action]
    ) {
        connect(after: rotation.goOn(wasServed ? .lost : leaving), at: now, &actions)
    }

    private mutating func connect(
        after pause: EndpointRotation.Pause, at now: ContinuousClock.Instant, _ actions: inout [Action]
    ) {
        isConnected = false
        wasServed = false
        probesUntil = nil
        for number in asked.keys { asked[number]?.countHere = 0 }
        let drawn = EndpointRotation.duration(of: pause, drawing: random.next())
        let pause = asked.isEmpty ? max(drawn, Self.idlePause) : drawn
        since = now + pause
        if !asked.isEmpty { wake(by: now + pause + rotation.patience) }
        actions.append(.move(to: rotation.endpoint, after: pause))
    }

    // MARK: - Silence

    /// A request comes: counts from now when none waited so far.
    mutating func awaitAnswer(at now: ContinuousClock.Instant) {
        if isConnected, asked.count == watches { since = now }
        if since == nil { since = now }
        wakeForAnswer(at: now)
    }

    /// An answer other than MOVED came.
    mutating func served(at now: ContinuousClock.Instant, _ actions: inout [Action]) {
        since = now
        guard !wasServed else { return }
        wasServed = true
        silences = 0
        rotation.reached()
        guard probesUntil != nil else { return }
        probesUntil = nil
        for number in asked.keys.sorted() where asked[number]?.countHere == 0 {
            guard let held = asked[number], !held.isBusy || held.request.order != .free else { continue }
            say(number, at: now, &actions)
        }
    }

    /// Whether a request must wait until a front door has answered the first one; it is sent by then in any case.
    mutating func holdsBack(_ number: UInt64, at now: ContinuousClock.Instant) -> Bool {
        guard rotation.isCluster, rotation.owner == nil, !wasServed, let waiting = asked[number],
            !waiting.request.request.isWatch
        else { return false }
        guard let until = probesUntil else {
            probesUntil = now + Self.probeTime
            return false
        }
        guard now < until else { return false }
        asked[number]?.again = until
        wake(by: until)
        return true
    }

    mutating func wakeForAnswer(at now: ContinuousClock.Instant) {
        guard let since else { return }
        wake(by: max(now, since + (isConnected ? silence : rotation.patience)))
    }

    /// Leaves a connection that cannot be made, or on which nothing is answered, while requests wait.
    mutating func goOnIfSilent(at now: ContinuousClock.Instant, _ actions: inout [Action]) {
        guard let since, !asked.isEmpty else { return }
        guard isConnected else {
            guard since + rotation.patience <= now else { return wake(by: since + rotation.patience) }
            return goOn(.silent, at: now, &actions)
        }
        guard since + silence <= now else { return wake(by: since + silence) }
        // Watches wait for long, and after BUSY nothing is to be expected; large events take their time.
        var largest: Int?
        for waiting in asked.values where !waiting.isBusy && waiting.countHere > 0 && !waiting.request.request.isWatch {
            largest = max(largest ?? 0, waiting.request.request.payloadBytes)
        }
        guard let largest else { return wake(by: now + silence) }
        let limit = since + silence + .milliseconds(largest >> 12)
        guard limit <= now else { return wake(by: limit) }
        silences += 1
        goOn(.silent, at: now, &actions)
    }

    private var silence: Duration { Self.firstSilence * (1 << min(2, silences)) }
}
