package import MobiusWire

/// Decides when a client sends its requests: in a window, and repeated until they are answered or timed out.
///
/// It is pure: time comes with every input, the random seed at the start.
package struct ClientMachine {
    /// An input of the machine.
    package enum Input {
        /// A new request with a unique number and a deadline.
        ///
        /// One that names no loop may be meant for this machine's shard (`isRouted`), or for all.
        case ask(NumberedRequest, deadline: ContinuousClock.Instant, isRouted: Bool = false)
        /// The caller of this request has cancelled it.
        case cancel(UInt64)
        /// The socket is connected.
        case connected
        /// The connection was lost, or could not be made.
        case disconnected
        /// An answer arrived.
        case answered(NumberedAnswer)
        /// The other side is not a coordinator's client socket; the message says what it is.
        case strange(String)
        /// The coordinator does not admit this client; the message contains the reason.
        case forbidden(String)
        /// Time passed; see ``ClientMachine/nextDeadline``.
        case tick
        /// The client ends.
        case close
    }

    /// An action to perform.
    package enum Action: Equatable {
        /// Send it, or drop it if that is not possible at once.
        case send(NumberedRequest)
        /// This request ends with this outcome.
        case finish(UInt64, Outcome)
        /// Close the socket, wait, and connect a new one to this endpoint; `nil` for the client's only one.
        case move(to: String?, after: Duration)
    }

    /// The outcome of a request.
    package enum Outcome: Equatable {
        /// An answer; `asked` is how often the request may have reached a coordinator.
        case answered(ClientAnswer, asked: Int)
        /// There was no connection until its time-out.
        case unreachable
        /// No answer came until its time-out; `busy` if the last answer was BUSY.
        case timedOut(busy: Bool)
        /// The other side is not a coordinator's client socket.
        case strange(String)
        /// The coordinator does not admit this client.
        case forbidden(String)
        /// It is for another shard of this cluster, or for all: nothing was done.
        case elsewhere(ClusterMap)
        /// The client was closed, or an event before this one in its chain was refused (`SendOrder.chained`).
        case closed
    }

    /// A request that was sent, or will be once there is a connection.
    struct Asked {
        let request: NumberedRequest
        let deadline: ContinuousClock.Instant
        /// The time at which it is repeated.
        var again: ContinuousClock.Instant
        var pause: Duration
        /// Whether it waits because the coordinator is busy.
        var isBusy = false
        /// Whether its last answer was BUSY.
        var wasBusy = false
        var count = 0
        /// The number of times that it was sent on this connection.
        var countHere = 0
        let isRouted: Bool
    }

    /// The maximum number of pending requests besides those that watch models, which wait for long; further ones would only get BUSY.
    package static let window = 256
    /// The time without an answer after which a request is repeated; a large event gets a second more for every 4 MiB.
    package static let firstPause = Duration.seconds(1)
    /// The limit to which that time grows.
    package static let longestPause = Duration.seconds(8)
    /// The time for which a refusal to connect stands: the next request after it makes another attempt.
    package static let refusalTime = Duration.seconds(1)

    private let limit: Int
    /// The shard whose owner it looks for.
    let shard: Int
    /// Ordered requests that got BUSY: the first is repeated after its pause, the others when it is answered.
    private var turnedAway: Set<UInt64> = []
    /// The first chained request that was refused: those behind it are not sent.
    private var lastOfChain = UInt64.max
    var random: SplitMix
    var asked: [UInt64: Asked] = [:]
    /// The number of them that watch models.
    var watches = 0
    private var line = Line()
    /// Whether the socket is connected.
    var isConnected = false
    /// The reason why the only coordinator does not connect with this client, and until when requests get it without
    /// another attempt; `nil` from the next attempt on.
    var refusal: (outcome: Outcome, until: ContinuousClock.Instant)?
    /// The rotation that decides to which endpoint it connects.
    var rotation: EndpointRotation
    /// The time since which it waits for the connection to one of several coordinators, or for any answer on it.
    var since: ContinuousClock.Instant?
    /// Whether this connection gave an answer other than MOVED, so that it leads to an owner.
    var wasServed = false
    /// The time until which a front door gets one request only, unless it answers it; it would answer all of them with
    /// MOVED.
    var probesUntil: ContinuousClock.Instant?
    /// The number of connections in a row on which nothing was answered.
    var silences = 0

    /// The time at which ``Input/tick`` must come at the latest; there may be nothing to do then.
    package private(set) var nextDeadline: ContinuousClock.Instant?

    /// Makes a machine.
    ///
    /// - Parameters:
    ///   - window: The maximum number of pending requests.
    ///   - endpoints: The front doors of all coordinators, tried in turn; empty if the socket has only one.
    ///   - shard: The number of the shard whose owner it looks for.
    package init(seed: UInt64, window: Int = ClientMachine.window, endpoints: [String] = [], shard: Int = 0) {
        limit = window
        self.shard = shard
        rotation = EndpointRotation(endpoints)
        random = SplitMix(state: seed)
    }

    /// Handles an input, and returns the actions, in order.
    package mutating func handle(_ input: Input, at now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        if case .ask = input, let until = refusal?.until, until <= now {
            refusal = nil
            actions.append(.move(to: nil, after: .zero))
        }
        switch input {
        case .ask(let request, _, _) where refusal != nil:
            if let refusal { actions.append(.finish(request.number, refusal.outcome)) }
        case .ask(let request, _, _) where request.order == .chained && request.number > lastOfChain:
            actions.append(.finish(request.number, .closed))
        case .ask(let request, let deadline, let isRouted):
            wake(by: deadline)
            if rotation.isCluster { awaitAnswer(at: now) }
            if request.request.isWatch {
                ask(request, deadline, isRouted, at: now, &actions)
            } else {
                line.append(request, deadline, isRouted)
                fillWindow(at: now, &actions)
            }
        case .cancel(let number):
            // A watch takes a place at the coordinator for half a minute.
            if isConnected, let waiting = asked[number], waiting.count > 0,
                case .watch(let loop, _) = waiting.request.request
            {
                var leaving = waiting.request
                leaving.request = .unwatch(loop)
                actions.append(.send(leaving))
            }
            remove(number)
            line.remove(number)
            fillWindow(at: now, &actions)
        case .connected:
            isConnected = true
            refusal = nil
            since = now
            // Ordered ones in their order, so also those that got BUSY.
            for number in asked.keys.sorted() {
                guard let waiting = asked[number], !waiting.isBusy || waiting.request.order != .free else { continue }
                if !holdsBack(number, at: now) { say(number, at: now, &actions) }
            }
            if rotation.isCluster { wakeForAnswer(at: now) }
        case .disconnected:
            isConnected = false
            if rotation.isCluster { goOn(.refused, at: now, &actions) }
        case .answered(let answer): receive(answer, at: now, &actions)
        case .strange(let sentence): fail(.strange(sentence), at: now, &actions)
        case .forbidden(let sentence): fail(.forbidden(sentence), at: now, &actions)
        case .tick: tick(at: now, &actions)
        case .close: finishAll(.closed, &actions)
        }
        return actions
    }

    private mutating func receive(
        _ answer: NumberedAnswer, at now: ContinuousClock.Instant, _ actions: inout [Action]
    ) {
        if answer.number == 0, case .refused(let refusal) = answer.answer {
            return fail(.strange(refusal.reason), at: now, &actions)
        }
        if case .moved(let endpoint, let map) = answer.answer {
            return move(answer.number, to: endpoint, map, at: now, &actions)
        }
        if rotation.isCluster { served(at: now, &actions) }
        // An answer to a repeated request, or to one that has ended.
        guard var waiting = asked[answer.number] else { return }
        if case .busy(let milliseconds) = answer.answer {
            // Random, so that clients with the same answer do not repeat their requests at once.
            let pause = Duration.milliseconds(Int(max(1, milliseconds)))
            (waiting.isBusy, waiting.wasBusy) = (true, true)
            waiting.again = now + pause + pause * Double.random(in: 0...1, using: &random)
            if waiting.request.order != .free { turnedAway.insert(answer.number) }
            asked[answer.number] = waiting
            return wake(by: waiting.again)
        }
        remove(answer.number)
        actions.append(.finish(answer.number, .answered(answer.answer, asked: waiting.count)))
        if waiting.request.order == .chained, !answer.answer.continuesChain {
            endChain(behind: answer.number, &actions)
        }
        if waiting.request.order != .free, !turnedAway.isEmpty {
            for number in turnedAway.sorted() { say(number, at: now, &actions) }
        }
        fillWindow(at: now, &actions)
    }

    /// Ends the chained requests behind a refused one: another connection would not know of it, and take them.
    private mutating func endChain(behind refused: UInt64, _ actions: inout [Action]) {
        lastOfChain = min(lastOfChain, refused)
        let asked = asked.filter { $0.key > refused && $0.value.request.order == .chained }.keys.sorted()
        for number in asked { remove(number) }
        let waiting = line.remove { $0.request.number > refused && $0.request.order == .chained }
        for number in asked + waiting { actions.append(.finish(number, .closed)) }
    }

    private mutating func fillWindow(at now: ContinuousClock.Instant, _ actions: inout [Action]) {
        while asked.count - watches < limit, let next = line.popFirst() {
            ask(next.request, next.deadline, next.isRouted, at: now, &actions)
        }
    }

    private mutating func ask(
        _ request: NumberedRequest, _ deadline: ContinuousClock.Instant, _ isRouted: Bool,
        at now: ContinuousClock.Instant, _ actions: inout [Action]
    ) {
        if request.request.isWatch { watches += 1 }
        asked[request.number] = Asked(
            request: request, deadline: deadline, again: deadline,
            pause: Self.firstPause + .milliseconds(request.request.payloadBytes >> 12), isRouted: isRouted)
        if isConnected, !holdsBack(request.number, at: now) { say(request.number, at: now, &actions) }
    }

    private mutating func remove(_ number: UInt64) {
        if !turnedAway.isEmpty { turnedAway.remove(number) }
        if asked.removeValue(forKey: number)?.request.request.isWatch == true { watches -= 1 }
    }

    mutating func say(_ number: UInt64, at now: ContinuousClock.Instant, _ actions: inout [Action]) {
        guard var waiting = asked[number] else { return }
        waiting.count += 1
        waiting.countHere += 1
        waiting.isBusy = false
        if !turnedAway.isEmpty { turnedAway.remove(number) }
        waiting.again = now + waiting.pause
        waiting.pause = max(waiting.pause, min(waiting.pause * 2, Self.longestPause))
        asked[number] = waiting
        wake(by: waiting.again)
        actions.append(.send(waiting.request))
    }

    private mutating func tick(at now: ContinuousClock.Instant, _ actions: inout [Action]) {
        nextDeadline = nil
        let firstTurnedAway = turnedAway.min()
        for number in asked.keys.sorted() {
            guard let waiting = asked[number] else { continue }
            if waiting.deadline <= now {
                remove(number)
                // After MOVED without an owner it was asked nowhere that counts, and yet coordinators answered.
                let outcome =
                    waiting.count == 0 && !waiting.wasBusy ? Outcome.unreachable : .timedOut(busy: waiting.wasBusy)
                actions.append(.finish(number, outcome))
            } else if turnedAway.contains(number), number != firstTurnedAway {
                wake(by: waiting.deadline)
            } else if isConnected, waiting.again <= now {
                say(number, at: now, &actions)
            } else {
                wake(by: isConnected ? min(waiting.deadline, waiting.again) : waiting.deadline)
            }
        }
        for number in line.removeExpired(at: now) {
            actions.append(.finish(number, isConnected ? .timedOut(busy: true) : .unreachable))
        }
        if let first = line.firstDeadline { wake(by: first) }
        fillWindow(at: now, &actions)
        if rotation.isCluster { goOnIfSilent(at: now, &actions) }
    }

    mutating func finishAll(_ outcome: Outcome, _ actions: inout [Action]) {
        for number in asked.keys.sorted() { actions.append(.finish(number, outcome)) }
        asked.removeAll()
        turnedAway.removeAll()
        watches = 0
        while let next = line.popFirst() { actions.append(.finish(next.request.number, outcome)) }
    }

    /// Ends the requests that are for other shards, or for all: they go where they belong.
    ///
    /// In their order, so that events of one loop keep theirs.
    mutating func sendAway(by map: ClusterMap, at now: ContinuousClock.Instant, _ actions: inout [Action]) {
        let shard = shard
        func isElsewhere(_ numbered: NumberedRequest, _ isRouted: Bool) -> Bool {
            let request = numbered.request
            return request.loop.map { map.shard(of: $0) != shard }
                ?? (!isRouted || request.isAboutAllLoops && numbered.shards < map.shards.count)
        }
        for number in asked.keys.sorted() {
            guard let waiting = asked[number], isElsewhere(waiting.request, waiting.isRouted) else { continue }
            remove(number)
            actions.append(.finish(number, .elsewhere(map)))
        }
        for number in line.remove(where: { isElsewhere($0.request, $0.isRouted) }) {
            actions.append(.finish(number, .elsewhere(map)))
        }
        fillWindow(at: now, &actions)
    }

    mutating func wake(by time: ContinuousClock.Instant) {
        nextDeadline = min(nextDeadline ?? time, time)
    }
}

/// Requests that wait for a place in the window, in the order in which they came.
private struct Line {
    typealias Element = (request: NumberedRequest, deadline: ContinuousClock.Instant, isRouted: Bool)

    private var elements: [UInt64: Element] = [:]
    /// Their numbers in order, including some removed ones.
    private var order: [UInt64] = []
    private var start = 0

    mutating func append(_ request: NumberedRequest, _ deadline: ContinuousClock.Instant, _ isRouted: Bool) {
        elements[request.number] = (request, deadline, isRouted)
        order.append(request.number)
    }

    mutating func popFirst() -> Element? {
        while start < order.count {
            let first = elements.removeValue(forKey: order[start])
            start += 1
            if start > 64, start * 2 > order.count {
                order.removeFirst(start)
                start = 0
            }
            if let first { return first }
        }
        return nil
    }

    mutating func remove(_ number: UInt64) {
        elements[number] = nil
    }

    mutating func removeExpired(at now: ContinuousClock.Instant) -> [UInt64] {
        remove { $0.deadline <= now }
    }

    /// Removes those for which `isMeant` is true, and returns their numbers in order.
    mutating func remove(where isMeant: (Element) -> Bool) -> [UInt64] {
        let removed = elements.values.filter(isMeant).map(\.request.number).sorted()
        for number in removed { elements[number] = nil }
        return removed
    }

    var firstDeadline: ContinuousClock.Instant? { elements.values.map(\.deadline).min() }
}

/// A seeded random number generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension ClientAnswer {
    /// Whether the events behind one with this answer may be applied.
    fileprivate var continuesChain: Bool {
        switch self {
        case .done, .dropped: true
        default: false
        }
    }
}

extension ClientRequest {
    var isWatch: Bool { if case .watch = self { true } else { false } }
}
