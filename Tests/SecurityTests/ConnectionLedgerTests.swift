import MobiusCoordinator
import MobiusEngine
import Testing

/// How many connections there may be, for how long, and which must go for others.
struct ConnectionLedgerTests {
    private func at(_ seconds: Int64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

    private func ledger(open: Int = 100, unknown: Int = 3, perKey: Int = 2, silence: Duration? = .seconds(10))
        -> ConnectionLedger
    {
        var limits = ConnectionLedger.Limits()
        (limits.open, limits.unknown, limits.perKey, limits.silence) = (open, unknown, perKey, silence)
        return ConnectionLedger(limits)
    }

    @Test func theOldestStrangerGoesForTheNextOne() {
        var ledger = ledger()
        for descriptor in 1...3 as ClosedRange<CInt> { #expect(ledger.accepted(descriptor, at: at(0)) == nil) }
        #expect(ledger.accepted(4, at: at(0)) == 1)
        #expect(ledger.introduce(2, key: "a", Peer(2)) == true)
        #expect(ledger.accepted(5, at: at(1)) == nil)
        #expect(ledger.accepted(6, at: at(1)) == 3)
        #expect(ledger.isKnown(2))
        #expect(ledger.ended(2) == true)
        #expect(ledger.ended(4) == false)
    }

    @Test func whoSaidSomethingStaysWhenAllPlacesAreTaken() {
        var ledger = ledger(open: 2, unknown: 2, perKey: 9)
        for descriptor in 1...2 as ClosedRange<CInt> {
            #expect(ledger.accepted(descriptor, at: at(0)) == nil)
            #expect(ledger.introduce(descriptor, key: "a", nil) == true)
        }
        #expect(ledger.accepted(3, at: at(0)) == 3)
        #expect(ledger.isKnown(1) && ledger.isKnown(2))
    }

    @Test func whoIsSilentGoesInTime() {
        var ledger = ledger()
        _ = ledger.accepted(1, at: at(0))
        _ = ledger.accepted(2, at: at(5))
        #expect(ledger.nextDeadline == at(10))
        #expect(ledger.overdue(at: at(9)) == [])
        #expect(ledger.overdue(at: at(10)) == [1])
        #expect(ledger.overdue(at: at(11)) == [])
        #expect(ledger.introduce(2, key: nil, Peer(2)) == true)
        #expect(ledger.overdue(at: at(99)) == [])
        #expect(ledger.nextDeadline == nil)
    }

    @Test func aNumberThatIsUsedAgainIsAnotherConnection() {
        var ledger = ledger()
        _ = ledger.accepted(1, at: at(0))
        #expect(ledger.ended(1) == false)
        _ = ledger.accepted(1, at: at(8))
        #expect(ledger.overdue(at: at(10)) == [])
        #expect(ledger.overdue(at: at(18)) == [1])
        // Its end was not seen, and yet it is somebody else now.
        _ = ledger.accepted(1, at: at(20))
        #expect(ledger.count == 1)
        #expect(ledger.introduce(1, key: "a", nil) == true)
        _ = ledger.accepted(1, at: at(21))
        #expect(!ledger.isKnown(1))
    }

    @Test func aKeyHasSoManyConnections() {
        var ledger = ledger()
        #expect(ledger.introduce(1, key: "a", nil) == true)
        #expect(ledger.introduce(2, key: "a", nil) == true)
        #expect(ledger.introduce(1, key: "a", nil) == true, "said again")
        #expect(ledger.introduce(3, key: "a", nil) == false)
        #expect(ledger.introduce(3, key: "b", nil) == true)
        #expect(ledger.ended(1) == true)
        #expect(ledger.introduce(4, key: "a", nil) == true)
        #expect(ledger.holders.map(\.key) == ["a", "b", "a"])
    }

    @Test func whoMustGoHearsWhyFirst() {
        var ledger = ledger()
        #expect(ledger.introduce(1, key: "a", Peer(1)) == true)
        ledger.dismiss(1, at: at(2))
        ledger.dismiss(1, at: at(9))
        #expect(ledger.holders.isEmpty)
        #expect(ledger.introduce(1, key: "a", Peer(1)) == false)
        #expect(ledger.nextDeadline == at(2))
        #expect(ledger.overdue(at: at(1)) == [])
        #expect(ledger.overdue(at: at(2)) == [1])
        #expect(ledger.overdue(at: at(3)) == [])
        #expect(ledger.introduce(2, key: "a", nil) == true)
        ledger.dismiss(2, at: at(5))
        _ = ledger.ended(2)
        _ = ledger.accepted(2, at: at(4))
        #expect(ledger.overdue(at: at(6)) == [], "another connection has the number now")
    }

    @Test func aMillionStrangersLeaveNothingBehind() {
        var ledger = ledger()
        for number in 0..<1_000_000 as Range<CInt> {
            _ = ledger.accepted(number % 50, at: at(Int64(number / 100)))
            if number.isMultiple(of: 3) { _ = ledger.ended(number % 50) }
        }
        #expect(ledger.count <= 50)
        #expect(ledger.overdue(at: at(1_000_000)).count <= 3)
    }
}

/// Lines of a log that strangers cause.
struct LogThrottleTests {
    @Test func fewLinesATimeAndTheRestIsCounted() {
        var throttle = LogThrottle()
        let start = ContinuousClock.now
        let admitted = (0..<100).compactMap { _ in throttle.admit(at: start) }
        #expect(admitted == Array(repeating: 0, count: LogThrottle.lines))
        #expect(throttle.admit(at: start + .seconds(9)) == nil)
        #expect(throttle.admit(at: start + LogThrottle.interval) == 100 - LogThrottle.lines + 1)
        #expect(throttle.admit(at: start + LogThrottle.interval) == 0)
    }
}
