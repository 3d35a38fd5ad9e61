import MobiusEngine
import Testing

@Suite struct MomentTests {
    @Test func durationsAddAndSubtract() {
        let moment = Moment.seconds(1.5)
        #expect(moment + .milliseconds(250) == .seconds(1.75))
        #expect(moment + .seconds(-1) == .seconds(0.5))
        #expect(.seconds(4) - moment == .milliseconds(2500))
        #expect(moment - .seconds(4) == .milliseconds(-2500))
        #expect(moment < .seconds(1.6))
    }

    @Test func whatIsTooFarIsTheEndOfTime() {
        let end = Moment(nanoseconds: .max)
        #expect(Moment.seconds(1) + .seconds(Int64.max) == end)
        #expect(Moment.seconds(1) + .seconds(9_300_000_000) == end)
        #expect(Moment(nanoseconds: .max - 1) + .nanoseconds(5) == end)
        #expect(Moment.seconds(-1) + .seconds(Int64.min) == Moment(nanoseconds: .min))
    }

    @Test func `milliseconds on the wire are rounded up, and never 0`() {
        func milliseconds(_ nanoseconds: Int64) -> UInt32 {
            Moment(nanoseconds: nanoseconds).milliseconds(after: Moment(nanoseconds: 0))
        }
        #expect([-5_000_000, 0, 1, 999_999, 1_000_000].map(milliseconds) == [1, 1, 1, 1, 1])
        #expect([1_000_001, 60_000_000_000].map(milliseconds) == [2, 60_000])
        #expect(milliseconds(.max) == .max)
        #expect(Moment(nanoseconds: .max).milliseconds(after: Moment(nanoseconds: -1)) == .max)
        #expect(Moment(nanoseconds: .min).milliseconds(after: Moment(nanoseconds: 1)) == 1)
    }
}
