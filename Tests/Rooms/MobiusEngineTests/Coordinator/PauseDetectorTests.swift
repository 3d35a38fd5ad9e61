import MobiusEngine
import MobiusWire
import Testing

@Suite struct PauseDetectorTests {
    private let timing = SessionTiming(heartbeat: .seconds(1))

    @Test func `an input half a heartbeat after its time shows a pause, and deadlines wait for a heartbeat`() {
        var pauses = PauseDetector(timing)
        pauses.sleeps(until: .seconds(1))
        #expect(!pauses.isLate(.seconds(1.5)))
        #expect(pauses.isLate(.seconds(1.6)))
        equals(pauses.goOn(at: .seconds(5)), .seconds(4))
        #expect(pauses.deadlinesResumeAt == .seconds(6))
        #expect(!pauses.isLate(.seconds(5.5)))
    }

    @Test func `after ten pauses in a row deadlines are not postponed any more`() {
        var pauses = PauseDetector(timing)
        var now = Moment.start
        pauses.sleeps(until: now)
        for _ in 0..<10 {
            now = now + .seconds(1)
            _ = pauses.goOn(at: now)
            #expect(pauses.deadlinesResumeAt == now + .seconds(1))
        }
        let last = pauses.deadlinesResumeAt
        _ = pauses.goOn(at: now + .seconds(1))
        #expect(pauses.deadlinesResumeAt == last)
    }
}

@Suite struct AdoptionTests {
    @Test func `it lasts for its grace time from the first flush, pauses not counted`() {
        var adoption = Adoption()
        adoption.begin(.seconds(2), at: .start)
        #expect(!adoption.isOpen, "nothing was recovered")
        adoption.plan()
        equals(adoption.isOpen, true)
        equals(adoption.isOver(at: .seconds(9)), false)
        adoption.begin(.seconds(2), at: .start)
        adoption.extend(by: .seconds(3))
        equals(adoption.isOver(at: .seconds(4.9)), false)
        equals(adoption.isOver(at: .seconds(5)), true)
        #expect(!adoption.isOpen)
    }

    @Test func `it ends when the last worker that may hold something has joined`() {
        var adoption = Adoption()
        adoption.expect([.ann, .bob])
        adoption.plan()
        adoption.begin(.seconds(2), at: .start)
        adoption.joined(.ann, at: .seconds(0.5))
        equals(adoption.isOver(at: .seconds(0.5)), false)
        adoption.joined(.bob, at: .seconds(0.6))
        equals(adoption.isOver(at: .seconds(0.6)), true)
    }

    @Test func `it ends at once when nobody holds anything`() {
        var adoption = Adoption()
        adoption.expect([])
        adoption.plan()
        adoption.begin(.seconds(2), at: .start)
        equals(adoption.isOver(at: .start), true)
    }
}
