import MobiusCoordinator
import MobiusDriver
import MobiusEngine
import MobiusWire
import Testing

/// How many connections there may be, for how long, and which must go for others.
struct ConnectionLedgerTests {
    private func at(_ seconds: Int64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

    private func ledger(
        open: Int = 100, unknown: Int = 3, perKey: Int = 2, silence: Duration? = .seconds(10),
        dropsIdlest: Bool = false
    ) -> ConnectionLedger {
        var limits = ConnectionLedger.Limits()
        (limits.open, limits.unknown, limits.perKey, limits.silence) = (open, unknown, perKey, silence)
        limits.dropsIdlest = dropsIdlest
        return ConnectionLedger(limits)
    }

    @Test func theOldestStrangerGoesForTheNextOne() {
        var ledger = ledger()
        for descriptor in 1...3 as ClosedRange<CInt> { #expect(ledger.accepted(descriptor, at: at(0)) == nil) }
        #expect(ledger.accepted(4, at: at(0)) == 1)
        #expect(ledger.introduce(2, key: "a", Peer(2), at: at(0)) == .welcome)
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
            #expect(ledger.introduce(descriptor, key: "a", nil, at: at(0)) == .welcome)
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
        #expect(ledger.introduce(2, key: nil, Peer(2), at: at(0)) == .welcome)
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
        #expect(ledger.introduce(1, key: "a", nil, at: at(0)) == .welcome)
        _ = ledger.accepted(1, at: at(21))
        #expect(!ledger.isKnown(1))
    }

    @Test func aKeyHasSoManyConnections() {
        var ledger = ledger()
        #expect(ledger.introduce(1, key: "a", nil, at: at(0)) == .welcome)
        #expect(ledger.introduce(2, key: "a", nil, at: at(0)) == .welcome)
        #expect(ledger.introduce(1, key: "a", nil, at: at(0)) == .welcome, "said again")
        #expect(ledger.introduce(3, key: "a", nil, at: at(0)) == .refused)
        #expect(ledger.introduce(3, key: "b", nil, at: at(0)) == .welcome)
        #expect(ledger.ended(1) == true)
        #expect(ledger.introduce(4, key: "a", nil, at: at(0)) == .welcome)
        #expect(ledger.holders.map(\.key) == ["a", "b", "a"])
    }

    @Test func whoMustGoHearsWhyFirst() {
        var ledger = ledger()
        #expect(ledger.introduce(1, key: "a", Peer(1), at: at(0)) == .welcome)
        ledger.dismiss(1, at: at(2))
        ledger.dismiss(1, at: at(9))
        #expect(ledger.holders.isEmpty)
        #expect(ledger.introduce(1, key: "a", Peer(1), at: at(0)) == .refused)
        #expect(ledger.nextDeadline == at(2))
        #expect(ledger.overdue(at: at(1)) == [])
        #expect(ledger.overdue(at: at(2)) == [1])
        #expect(ledger.overdue(at: at(3)) == [])
        #expect(ledger.introduce(2, key: "a", nil, at: at(0)) == .welcome)
        ledger.dismiss(2, at: at(5))
        _ = ledger.ended(2)
        _ = ledger.accepted(2, at: at(4))
        #expect(ledger.overdue(at: at(6)) == [], "another connection has the number now")
    }

    @Test func whoIsIdleGoesForWhoSpeaks() {
        var ledger = ledger(open: 5, unknown: 2, perKey: 9, silence: nil, dropsIdlest: true)
        for descriptor in 1...3 as ClosedRange<CInt> {
            _ = ledger.accepted(descriptor, at: at(0))
            #expect(ledger.introduce(descriptor, key: nil, nil, at: at(0)) == .welcome)
        }
        ledger.noteActivity(1)
        // Two places are kept for those that come.
        #expect(ledger.accepted(4, at: at(1)) == nil)
        #expect(ledger.accepted(5, at: at(1)) == nil)
        #expect(ledger.introduce(5, key: nil, nil, at: at(1)) == .instead(of: 2))
        #expect(ledger.ended(2) == false, "it was told to go")
        #expect(ledger.accepted(6, at: at(9)) == nil)
        #expect(ledger.accepted(7, at: at(9)) == 4, "it has said nothing, and no place is free")
        #expect(ledger.introduce(6, key: nil, nil, at: at(9)) == .instead(of: 3))
        #expect(ledger.isKnown(1) && ledger.isKnown(5) && ledger.isKnown(6))
    }

    @Test func whoIsThereForLongKeepsAFreePlaceUntilSomebodySpeaks() {
        var ledger = ledger(open: 5, unknown: 2, perKey: 9, silence: nil, dropsIdlest: true)
        for descriptor in 1...3 as ClosedRange<CInt> {
            #expect(ledger.accepted(descriptor, at: at(Int64(descriptor) * 5)) == nil)
        }
        // In their handshakes they had places of their own.
        #expect(ledger.accepted(4, at: at(16)) == nil)
        #expect(ledger.accepted(5, at: at(20)) == nil)
        #expect(ledger.count == 5 && !ledger.isKnown(1))
        #expect(ledger.introduce(1, key: nil, nil, at: at(21)) == .welcome)
        #expect(ledger.introduce(5, key: nil, nil, at: at(21)) == .instead(of: 2))
    }

    @Test func operatorsGoLastAndTheIdlestOfAKeyGoesForThatKey() {
        var ledger = ledger(open: 5, unknown: 2, perKey: 2, silence: nil, dropsIdlest: true)
        #expect(ledger.introduce(1, key: "admin", nil, isOperator: true, at: at(0)) == .welcome)
        #expect(ledger.introduce(2, key: "a", nil, at: at(0)) == .welcome)
        #expect(ledger.introduce(3, key: "a", nil, at: at(0)) == .welcome)
        #expect(ledger.introduce(4, key: "a", nil, at: at(0)) == .instead(of: 2))
        #expect(ledger.introduce(5, key: "b", nil, at: at(0)) == .instead(of: 3))
        #expect(ledger.introduce(6, key: "admin", nil, isOperator: true, at: at(0)) == .instead(of: 4))
        #expect(ledger.introduce(7, key: "c", nil, at: at(0)) == .instead(of: 5))
        #expect(ledger.introduce(8, key: "admin", nil, isOperator: true, at: at(0)) == .instead(of: 1))
        #expect(ledger.holders.map(\.key) == ["admin", "c", "admin"])
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
        let start = Moment(nanoseconds: 1)
        let admitted = (0..<100).compactMap { _ in throttle.admit(at: start) }
        #expect(admitted == Array(repeating: 0, count: LogThrottle.lines))
        #expect(throttle.admit(at: start + .seconds(9)) == nil)
        #expect(throttle.admit(at: start + LogThrottle.interval) == 100 - LogThrottle.lines + 1)
        #expect(throttle.admit(at: start + LogThrottle.interval) == 0)
    }

    @Test func theRestIsToldOnceWhenNoLineFollows() {
        var throttle = LogThrottle()
        let start = Moment(nanoseconds: 1)
        for _ in 0..<100 { _ = throttle.admit(at: start) }
        #expect(throttle.rest(at: start + .seconds(9)) == nil)
        #expect(throttle.nextSuppressed == start + LogThrottle.interval)
        #expect(throttle.rest(at: start + LogThrottle.interval) == 100 - LogThrottle.lines)
        #expect(throttle.rest(at: start + .seconds(60)) == nil)
        #expect(throttle.nextSuppressed == nil)
    }

    @Test func aFleetThatComesAndGoesHasFewLinesAndEachKindItsOwn() {
        var notes = NoteThrottles()
        let start = Moment(nanoseconds: 1)
        var lines = 0
        for number in 0..<1000 as Range<UInt64> {
            let worker = Incarnation(high: 0, low: number)
            let joined = CoordinatorNote.joined(worker, pools: ["p"], build: "", adopted: 0)
            if notes.admit(joined, at: start) != nil { lines += 1 }
            if notes.admit(.left(worker, effects: 0), at: start) != nil { lines += 1 }
        }
        #expect(lines == 2 * LogThrottle.lines)
        // A loss is told at once, whatever else there was.
        #expect(notes.admit(.lost(Incarnation(high: 0, low: 1), effects: 1), at: start) == 0)
        let rest = notes.rest(at: start + LogThrottle.interval)
        #expect(rest.map(\.kind) == [.joining, .leaving])
        #expect(rest.map(\.unlogged) == [990, 990])
        #expect(notes.nextSuppressed == nil)
    }
}
