import Logging
import MobiusTransport
import MobiusWire
import Synchronization

/// A client's connections: one lane, with a thread, for each shard of the cluster that it asks something of.
///
/// A client begins with the lane of shard 0, which is all that most journals have. When a coordinator answers that there are
/// more shards, requests go to the lane of their loop's shard, in the order in which they were made.
final class ClientLanes: Sendable {
    private struct State {
        var lanes: [Int: (mailbox: ClientMailbox, thread: SocketThread)] = [:]
        /// The shards; `nil` while one is all that is known.
        var map: ClusterMap?
        var lastNumber: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let endpoint: String
    private let key: PeerKey?
    private let window: Int
    private let logger: Logger
    private let unusable = Mutex<String?>(nil)

    init(_ endpoint: String, key: PeerKey?, window: Int, logger: Logger) {
        self.endpoint = endpoint
        self.key = key
        self.window = window
        self.logger = logger
        state.withLock { state in _ = lane(0, &state) }
    }

    /// The reason why the client's endpoints can never work; `nil` when they may.
    var problem: String? { unusable.withLock { $0 } }

    /// The number of shards, as far as is known.
    var shards: Int { state.withLock { $0.map?.shards.count ?? 1 } }

    /// A number that no other request of this client has.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Posts a call to the lane of its loop, or to that of a `shard`.
    func post(_ call: ClientCall, to shard: Int? = nil) {
        state.withLock { state in post([call], to: shard, &state) }
    }

    /// Posts many calls at once, numbered in their order.
    func post(_ count: Int, _ call: (Int, UInt64) -> ClientCall) {
        state.withLock { state in
            let calls = (0..<count).map { call($0, state.lastNumber + 1 + UInt64($0)) }
            state.lastNumber += UInt64(count)
            post(calls, to: nil, &state)
        }
    }

    func cancel(_ number: UInt64) {
        for lane in state.withLock({ $0.lanes.values.map(\.mailbox) }) { lane.post([.cancel(number)]) }
    }

    func close() {
        let lanes = state.withLock { state in
            state.isClosed = true
            return state.lanes.values.map(\.mailbox)
        }
        for lane in lanes { lane.post([.close]) }
    }

    /// Returns when all threads have ended.
    func finished() async {
        for thread in state.withLock({ $0.lanes.values.map(\.thread) }) { await thread.finished() }
    }

    // MARK: - Shards

    /// Some calls of a lane, in their order, belong to other shards.
    ///
    /// The messages in the lane's mailbox are sorted out before anything new is posted, so that each loop's order is
    /// kept.
    private func sendAway(_ calls: [ClientCall], by map: ClusterMap, from shard: Int) {
        let unrouted = state.withLock { state in
            // One that has not heard of a split yet knows nothing new.
            if map.shards.count >= state.map?.shards.count ?? 1 { state.map = map }
            let waiting = state.lanes[shard]?.mailbox.drain() ?? []
            var routed = calls.filter { $0.request.request.loop != nil }
            var others: [ClientInput] = []
            for input in waiting {
                if case .ask(let call) = input, call.request.request.loop != nil {
                    routed.append(call)
                } else {
                    others.append(input)
                }
            }
            state.lanes[shard]?.mailbox.post(others)
            post(routed, to: nil, &state)
            return calls.filter { $0.request.request.loop == nil }
        }
        for call in unrouted { call.reply.resume(returning: .elsewhere(map)) }
    }

    private func post(_ calls: [ClientCall], to shard: Int?, _ state: inout State) {
        guard let map = state.map else { return lane(shard ?? 0, &state).post(calls.map(ClientInput.ask)) }
        var parts: [Int: [ClientInput]] = [:]
        for call in calls {
            let lane = shard ?? call.request.request.loop.map { map.shard(of: $0) } ?? 0
            parts[lane, default: []].append(.ask(call))
        }
        for (number, inputs) in parts { lane(number, &state).post(inputs) }
    }

    private func lane(_ shard: Int, _ state: inout State) -> ClientMailbox {
        if let lane = state.lanes[shard] { return lane.mailbox }
        let (mailbox, thread) = (ClientMailbox(), SocketThread(name: "client"))
        state.lanes[shard] = (mailbox, thread)
        guard !state.isClosed else {
            mailbox.close()
            thread.start {}
            return mailbox
        }
        // Released clients end their threads, which must not keep the lanes.
        thread.start { [weak self, endpoint, key, window, logger] in
            let doors = EndpointRotation.endpoints(in: endpoint)
            let edge = ClientEdge(
                doors: doors, key: key, window: window, shard: shard, mailbox: mailbox, logger: logger
            ) { [weak self] calls, map in
                if let self { return self.sendAway(calls, by: map, from: shard) }
                for call in calls { call.reply.resume(returning: .closed) }
            }
            let context = Context()
            defer { context.terminate(patience: .seconds(1)) }
            var problem: String?
            do {
                for door in doors { try EndpointScope.check(toConnect: door, hasKey: key != nil) }
                problem = EndpointRotation.problem(in: doors).map { "\($0)." }
                if problem == nil { try edge.run(in: context) }
            } catch let error as KeyError {
                problem = error.message
            } catch {
                problem = "Cannot connect to \(endpoint): \(error)"
            }
            if let problem { self?.unusable.withLock { $0 = problem } }
            edge.fail(.closed)
            mailbox.close()
        }
        return mailbox
    }
}
