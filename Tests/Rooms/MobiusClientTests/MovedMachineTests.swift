import MobiusClient
import MobiusWire
import Testing

/// When a client of several coordinators says what, and where.
@Suite struct MovedMachineTests {
    private let start = ContinuousClock.now
    private let owner = "tcp://10.0.0.1:2"
    private var machine = ClientMachine(seed: 1, endpoints: ["a", "b"])

    private func asked(_ number: UInt64, _ order: SendOrder = .free) -> NumberedRequest {
        let event = Payload(kind: PayloadKind(type: ""), bytes: [1])
        return NumberedRequest(
            number: number, request: .send(loop: .main, key: "\(number)", event: event), order: order)
    }

    private func ask(_ number: UInt64, _ order: SendOrder = .free) -> ClientMachine.Input {
        .ask(asked(number, order), deadline: start + .seconds(60))
    }

    private mutating func after(_ time: Duration, _ input: ClientMachine.Input) -> [ClientMachine.Action] {
        machine.handle(input, at: start + time)
    }

    private func answer(_ number: UInt64, _ answer: ClientAnswer) -> ClientMachine.Input {
        .answered(NumberedAnswer(epoch: 1, number: number, answer: answer))
    }

    private func isPausedMove(_ actions: [ClientMachine.Action], to endpoint: String) -> Bool {
        guard actions.count == 1, case .move(endpoint, let pause) = actions[0] else { return false }
        return pause >= .milliseconds(100) && pause <= .milliseconds(250)
    }

    @Test mutating func `what MOVED answered is asked at the owner, in order, and counts as not asked before`() {
        _ = after(.zero, .connected)
        #expect(after(.zero, ask(1, .ordered)) == [.send(asked(1, .ordered))])
        #expect(after(.zero, ask(2, .ordered)) == [], "a front door gets one request first")
        #expect(after(.zero, ask(3, .ordered)) == [])
        #expect(after(.zero, answer(1, .moved(endpoint: owner))) == [.move(to: owner, after: .zero)])
        #expect(after(.zero, ask(4, .ordered)) == [])
        #expect(after(.milliseconds(1), .connected) == (1...4).map { .send(asked($0, .ordered)) })
        #expect(after(.milliseconds(2), answer(1, .notFound)) == [.finish(1, .answered(.notFound, asked: 1))])
    }

    @Test mutating func `a coordinator that answers the first gets the others`() {
        _ = after(.zero, .connected)
        for number in 1...3 as ClosedRange<UInt64> { _ = after(.zero, ask(number)) }
        #expect(
            after(.milliseconds(1), answer(1, .notFound)) == [
                .send(asked(2)), .send(asked(3)), .finish(1, .answered(.notFound, asked: 1)),
            ])
        #expect(after(.milliseconds(1), ask(4)) == [.send(asked(4))])
    }

    @Test mutating func `a front door that is slow gets the others soon`() {
        _ = after(.zero, .connected)
        for number in 1...2 as ClosedRange<UInt64> { _ = after(.zero, ask(number)) }
        #expect(after(.milliseconds(499), .tick) == [])
        #expect(after(.milliseconds(500), .tick) == [.send(asked(2))])
    }

    @Test mutating func `without an owner the front doors take turns, and all count as busy`() {
        _ = after(.zero, .connected)
        _ = after(.zero, .ask(asked(1), deadline: start + .seconds(1)))
        #expect(isPausedMove(after(.zero, answer(1, .moved(endpoint: nil))), to: "b"))
        _ = after(.milliseconds(250), .connected)
        #expect(isPausedMove(after(.milliseconds(250), answer(1, .moved(endpoint: nil))), to: "a"))
        #expect(after(.seconds(1), .tick) == [.finish(1, .timedOut(busy: true))])
    }

    @Test mutating func `an owner that is lost is left at once, a door that is not reached after a pause`() {
        _ = after(.zero, .connected)
        _ = after(.zero, ask(1))
        _ = after(.zero, answer(1, .moved(endpoint: owner)))
        _ = after(.zero, .connected)
        _ = after(.zero, answer(1, .notFound))
        _ = after(.zero, ask(2))
        #expect(after(.seconds(1), .disconnected) == [.move(to: "b", after: .zero)])
        #expect(after(.seconds(1), .disconnected) == [.move(to: "a", after: .zero)], "each door once")
        #expect(isPausedMove(after(.seconds(1), .disconnected), to: "b"))
        #expect(after(.seconds(1.2), .connected) == [.send(asked(2))])
    }

    @Test mutating func `an owner that is not reached in a second is forgotten`() {
        _ = after(.zero, .connected)
        _ = after(.zero, ask(1))
        _ = after(.zero, answer(1, .moved(endpoint: owner)))
        #expect(after(.milliseconds(999), .tick) == [])
        #expect(isPausedMove(after(.seconds(1), .tick), to: "b"))
    }

    @Test mutating func `a connection without answers is left after two and a half seconds, then after five`() {
        _ = after(.zero, .connected)
        _ = after(.zero, ask(1))
        #expect(after(.milliseconds(2499), .tick) == [.send(asked(1))])
        #expect(isPausedMove(after(.milliseconds(2500), .tick), to: "b"))
        _ = after(.seconds(3), .connected)
        #expect(!after(.seconds(7), .tick).contains { if case .move = $0 { true } else { false } })
        #expect(after(.seconds(8), .tick).contains { if case .move = $0 { true } else { false } })
    }

    @Test mutating func `watches and BUSY are no silence`() {
        let watch = NumberedRequest(number: 1, request: .watch(.main, seen: nil))
        _ = after(.zero, .connected)
        _ = after(.zero, .ask(watch, deadline: start + .seconds(60)))
        _ = after(.zero, ask(2))
        _ = after(.zero, answer(2, .busy(retryAfter: 20_000)))
        for second in 1...20 {
            let actions = after(.seconds(second), .tick)
            #expect(!actions.contains { if case .move = $0 { true } else { false } }, "\(second) s: \(actions)")
        }
    }

    @Test mutating func `what an owner refuses to be is no end of requests, what the user named is`() {
        _ = after(.zero, .connected)
        _ = after(.zero, ask(1))
        _ = after(.zero, answer(1, .moved(endpoint: owner)))
        #expect(isPausedMove(after(.zero, .strange("it is no coordinator")), to: "b"))
        #expect(after(.zero, .forbidden("no")) == [.finish(1, .forbidden("no"))])
    }

    @Test mutating func `a client that waits for nothing does not hurry`() {
        _ = after(.zero, .connected)
        #expect(after(.zero, .disconnected) == [.move(to: "b", after: ClientMachine.idlePause)])
    }

    @Test mutating func `one endpoint is left to the socket`() {
        machine = ClientMachine(seed: 1, endpoints: ["a"])
        _ = after(.zero, .connected)
        #expect(after(.zero, ask(1)) == [.send(asked(1))])
        #expect(after(.zero, ask(2)) == [.send(asked(2))])
        #expect(after(.seconds(1), .disconnected) == [])
        #expect(after(.seconds(20), .tick) == [])
        #expect(after(.seconds(20), .connected) == [.send(asked(1)), .send(asked(2))])
    }

    // MARK: - Shards

    private static let map = ClusterMap([
        ClusterMap.Shard(slices: SliceSet(), clients: "tcp://10.0.0.1:2"),
        ClusterMap.Shard(slices: .all, clients: "tcp://10.0.0.3:2"),
    ])

    private func request(
        _ number: UInt64, _ request: ClientRequest, isRouted: Bool = false, of shards: UInt32? = nil
    ) -> ClientMachine.Input {
        .ask(
            NumberedRequest(number: number, request: request, shards: shards ?? (isRouted ? 2 : 1)),
            deadline: start + .seconds(60), isRouted: isRouted)
    }

    @Test mutating func `what belongs to another shard, or to all, ends in order, and the rest goes to its own owner`()
        throws
    {
        let map = try #require(Self.map)
        _ = after(.zero, .connected)
        _ = after(.zero, ask(1, .ordered))
        _ = after(.zero, request(2, .status, isRouted: true))
        _ = after(.zero, request(3, .status))
        _ = after(.zero, ask(4, .ordered))
        #expect(
            after(.zero, answer(1, .moved(endpoint: "tcp://10.0.0.9:9", map: map))) == [
                .finish(1, .elsewhere(map)), .finish(3, .elsewhere(map)), .finish(4, .elsewhere(map)),
                .move(to: owner, after: .zero),
            ])
    }

    @Test mutating func `an owner that names another one for a loop keeps the rest`() throws {
        let map = try #require(Self.map)
        _ = after(.zero, .connected)
        _ = after(.zero, request(1, .status, isRouted: true))
        _ = after(.zero, answer(1, .moved(endpoint: nil, map: map)))
        _ = after(.milliseconds(1), .connected)
        _ = after(.milliseconds(2), answer(1, .notFound))
        _ = after(.milliseconds(3), request(2, .status, isRouted: true))
        _ = after(.milliseconds(3), ask(3))
        #expect(after(.milliseconds(4), answer(3, .moved(endpoint: nil, map: map))) == [.finish(3, .elsewhere(map))])
        #expect(after(.milliseconds(5), answer(2, .notFound)) == [.finish(2, .answered(.notFound, asked: 1))])
    }

    @Test mutating func `what went to all shards goes back when there are more than the client knew`() throws {
        let map = try #require(Self.map)
        _ = after(.zero, .connected)
        _ = after(.zero, request(1, .status, isRouted: true, of: 2))
        _ = after(.zero, answer(1, .notFound))
        _ = after(.zero, request(2, .status, isRouted: true, of: 1))
        _ = after(.zero, request(3, .schema, isRouted: true, of: 1))
        #expect(after(.zero, answer(2, .moved(endpoint: nil, map: map))) == [.finish(2, .elsewhere(map))])
        #expect(after(.zero, answer(3, .notFound)) == [.finish(3, .answered(.notFound, asked: 1))])
    }

    @Test mutating func `a shard without an owner is waited for`() throws {
        let map = try #require(
            ClusterMap([
                ClusterMap.Shard(slices: .all, clients: nil), ClusterMap.Shard(slices: SliceSet(), clients: owner),
            ]))
        _ = after(.zero, .connected)
        _ = after(.zero, ask(1))
        #expect(isPausedMove(after(.zero, answer(1, .moved(endpoint: owner, map: map))), to: "b"))
    }
}
