import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// What a process does with the leases that its machine decides on: terms, their gates, and what its threads say.
@Suite struct LeaseDriverTests {
    /// A gate that notes what it is told.
    private final class Gate: TermGate {
        var until: Moment
        var (waits, isClosed) = (true, false)

        init(until moment: Moment) {
            until = moment
        }

        func trust(until moment: Moment) { until = moment }
        func stopWaiting() { waits = false }
        func close() { isClosed = true }
    }

    private typealias Driver = LeaseDriver<Gate>
    private static let own = LeaseHolder(process: Incarnation(high: 1, low: 1), name: "own")
    private static let other = LeaseHolder(process: Incarnation(high: 2, low: 2), name: "other", workers: "tcp://o:1")
    private let timing = LeaseTiming()

    private static func at(_ milliseconds: Int64) -> Moment { Moment(nanoseconds: milliseconds * 1_000_000) }

    /// A driver that has taken these shards at 0 ms, each under epoch 7, after an owner that knew who may hold effects.
    private func taking(_ shards: ClosedRange<UInt32> = 0...0) throws -> Driver {
        var driver = Driver(Self.own, timing: timing) { _, _, end in Gate(until: end) }
        let free = shards.map {
            ShardState(shard: $0, epoch: 3, change: 1, lease: nil, possibleHolders: [Self.other.process])
        }
        try advance(&driver, to: .connect, .connected)
        for _ in 0..<20 {
            let step = driver.next(at: Self.at(0)).step
            switch step {
            case .read: _ = driver.answered(step, .read(free), asked: Self.at(0), at: Self.at(0))
            case .attend:
                let own = ClusterMember(process: Self.own.process, name: "own", isReady: true)
                _ = driver.answered(step, .attended([own]), asked: Self.at(0), at: Self.at(0))
            case .acquire: equals(driver.answered(step, .acquired(7), asked: Self.at(0), at: Self.at(0)), [.acquired])
            default: return driver
            }
        }
        Issue.record("it takes shards for ever")
        return driver
    }

    private func advance(_ driver: inout Driver, to expected: LeaseStep, _ answer: Driver.Answer) throws {
        let step = driver.next(at: Self.at(0)).step
        try #require(step == expected)
        _ = driver.answered(step, answer, asked: Self.at(0), at: Self.at(0))
    }

    /// The next term, which must be there.
    private func begin(_ driver: inout Driver) throws -> Driver.Term {
        let term = driver.nextTerm()
        return try #require(term)
    }

    /// Expects what a call returns that changes the driver, which `#expect` cannot make itself.
    private func equals<Value: Equatable>(
        _ value: Value, _ expected: Value, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(value == expected, comment, sourceLocation: location)
    }

    /// What the database says once another process has the shard.
    private static let lost = ShardState(
        shard: 0, epoch: 8, change: 9, lease: Lease(holder: other, remaining: .seconds(4), isConnected: true))

    @Test func `a term knows what the database had of its shard before`() throws {
        var driver = try taking()
        let term = try begin(&driver)
        #expect(term.shard == 0 && term.epoch == 7 && term.previous == 3)
        #expect(term.possibleHolders == [Self.other.process])
        equals(driver.nextTerm() == nil && driver.isRunning, true)
        #expect(term.gate.until == Self.at(0) + timing.trust)
    }

    @Test func `a term of a shard begins when the one before has ended, and gets the trust of its own lease`() throws {
        var driver = try taking()
        let first = try begin(&driver)
        // The first is lost, and the shard is taken again before its work has ended.
        let read = LeaseStep.read
        let events = driver.answered(read, .read([Self.lost]), asked: Self.at(100), at: Self.at(100))
        #expect(events == [.lost(0, epoch: 7)] && first.gate.isClosed)
        let free = ShardState(shard: 0, epoch: 8, change: 10, lease: nil)
        _ = driver.answered(read, .read([free]), asked: Self.at(200), at: Self.at(200))
        let step = driver.next(at: Self.at(200)).step
        equals(driver.answered(step, .acquired(9), asked: Self.at(200), at: Self.at(200)), [.acquired])
        equals(driver.nextTerm() == nil, true, "two threads would run one shard")
        driver.ended(first, isFailure: false)
        let second = try begin(&driver)
        #expect(second.epoch == 9 && !second.gate.isClosed && second.previous == 8)
        let renewal = LeaseStep.renew([LeaseRenewal(0, 9, Self.own)])
        _ = driver.answered(renewal, .renewed([.kept]), asked: Self.at(1200), at: Self.at(1200))
        #expect(second.gate.until == Self.at(1200) + timing.trust && first.gate.isClosed)
    }

    @Test func `a lease that is lost before its term begins is not run`() throws {
        var driver = try taking()
        let events = driver.answered(.read, .read([Self.lost]), asked: Self.at(100), at: Self.at(100))
        #expect(events == [.lost(0, epoch: 7)])
        equals(driver.nextTerm() == nil && driver.gates[0]?.isClosed == true, true)
    }

    @Test func `when it leaves, what has not begun is given back, and nobody waits at a gate`() throws {
        var driver = try taking(0...1)
        let term = try begin(&driver)
        driver.leave()
        driver.leave()
        equals(driver.nextTerm() == nil, true)
        #expect(!term.gate.waits)
        let other: UInt32 = term.shard == 0 ? 1 : 0
        guard case .resign = driver.next(at: Self.at(10)).step else {
            Issue.record("it does not say that it takes no more")
            return
        }
        _ = driver.answered(.resign(Self.own.process), .resigned, asked: Self.at(10), at: Self.at(10))
        equals(driver.next(at: Self.at(10)).step, .release(other, 7))
        _ = driver.answered(.release(other, 7), .released, asked: Self.at(10), at: Self.at(10))
        driver.ended(term, isFailure: false, possibleHolders: [Self.other.process])
        let release = LeaseStep.release(term.shard, 7, possibleHolders: [Self.other.process])
        equals(driver.next(at: Self.at(10)).step, release)
        _ = driver.answered(release, .released, asked: Self.at(10), at: Self.at(10))
        equals(driver.next(at: Self.at(10)).step, .leave)
    }

    @Test func `too many workers that may hold effects are as good as unknown ones`() throws {
        var driver = try taking()
        let term = try begin(&driver)
        let many = (0...1000).map { Incarnation(high: 9, low: $0) }
        driver.ended(term, isFailure: false, possibleHolders: many)
        equals(driver.next(at: Self.at(10)).step, .release(0, 7, possibleHolders: nil))
    }

    @Test func `a taking that somebody's transaction holds up costs no connection, any other failure does`() throws {
        var driver = Driver(Self.own, timing: timing) { _, _, end in Gate(until: end) }
        try advance(&driver, to: .connect, .connected)
        try advance(&driver, to: .read, .read([ShardState(shard: 0, epoch: 3, change: 1, lease: nil)]))
        let take = driver.next(at: Self.at(0)).step
        equals(driver.failed(take, isHeld: true, at: Self.at(0)).closes, false)
        equals(driver.next(at: Self.at(0)).step, .read)
        equals(driver.failed(.read, at: Self.at(0)).closes, true)
        guard case .wait = driver.next(at: Self.at(0)).step else {
            Issue.record("it connects again at once")
            return
        }
    }

    @Test func `a damaged shard is told once, each time that it becomes damaged`() throws {
        var driver = Driver(Self.own, timing: timing) { _, _, end in Gate(until: end) }
        try advance(&driver, to: .connect, .connected)
        let damaged = ShardState(shard: 0, epoch: 0, change: 0, lease: nil, isDamaged: true)
        let mended = ShardState(shard: 0, epoch: 0, change: 1, lease: nil)
        var told: [[Driver.Event]] = []
        for state in [damaged, damaged, mended, damaged] {
            told.append(driver.answered(.read, .read([state]), asked: Self.at(0), at: Self.at(0)))
        }
        #expect(told == [[.damaged([0])], [], [], [.damaged([0])]])
    }
}
