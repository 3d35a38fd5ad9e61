import MobiusCore
import MobiusTest
import Testing

enum TimerEffect: Equatable, Sendable {
    case remind(after: Duration)
    case stopReminding
    case print(String)
}

enum TimerEvent: Equatable, Sendable {
    case reminded
    case printed(String)
}

// example: handler
/// Sleeps on the clock that it is given: `ContinuousClock()` in the app.
func timerRouter(_ clock: some Clock<Duration>) -> EffectRouter<TimerEffect, TimerEvent> {
    EffectRouter { effect in
        switch effect {
        case .remind(let delay):
            .toEvent {
                try? await clock.sleep(for: delay)
                return .reminded
            }
        case .stopReminding:
            .cancels { if case .remind = $0 { true } else { false } }
        case .print(let text):
            .toEvent { .printed(text) }
        }
    }
}
// end

@Suite("Examples: testing effect handlers")
struct HandlerTestingExamples {
    @Test("handlers that answer at once")
    func atOnce() {
        // example: at-once
        EffectHandlerSpec(timerRouter(TestClock()))
            .when(.print("Hello"))
            .then(assertThatEvents(hasExactlyEvents([.printed("Hello")]), hasEnded()))
        // end
    }

    @Test("virtual time")
    func virtualTime() async {
        // example: time
        let clock = TestClock()
        await EffectHandlerSpec(timerRouter(clock))
            .when(.remind(after: .seconds(3600)))
            .advancing(clock, by: .seconds(3600))  // takes no time
            .then(assertThatEvents(hasExactlyEvents([.reminded])))
        // end
    }

    @Test("cancelling")
    func cancelling() async {
        // example: cancelling
        await EffectHandlerSpec(timerRouter(TestClock()))
            .when(.remind(after: .seconds(3600)))
            .when(.stopReminding)
            .then(assertThatEvents(hasNoEvents(), hasEnded()))
        // end
    }

    @Test("dispose")
    func disposing() async {
        // example: disposing
        await EffectHandlerSpec(timerRouter(TestClock()))
            .when(.remind(after: .seconds(3600)))
            .disposing()
            .then(assertThatEvents(hasNoEvents()))
        // end
    }

    @Test("one handler alone")
    func one() {
        // example: one
        EffectHandlerSpec(TrackLoader(folder: "music"))
            .when("a")
            .then(assertThatEvents(hasOnlyEvents([.loaded("music/a")])))
        // end
    }
}
