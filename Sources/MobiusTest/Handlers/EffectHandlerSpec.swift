public import MobiusCore

/// A test of an effect handler: given a handler, when it gets effects, then it sends these events.
///
/// ```swift
/// EffectHandlerSpec(router)
///     .when(.greet("Ada"))
///     .then(assertThatEvents(hasExactlyEvents([.greeted("Ada")]), hasEnded()))
/// ```
///
/// For handlers that continue after they have returned:
///
/// ```swift
/// await EffectHandlerSpec(router)
///     .when(.download(url))
///     .then(assertThatEvents(hasOnlyEvents([.downloaded(url)])))
/// ```
/// The handler is an `EffectRouter`, an `EffectHandler` or any `Connectable`. The real handler runs, without a loop. An
/// effect without exactly one route is a programmer error, as in a loop.
public struct EffectHandlerSpec<Effect, Event> {
    /// Makes the handler ready for one test, whose events go to the log.
    typealias Open = (EventLog<Event>) -> any HandlerUnderTest<Effect>

    private let open: Open

    /// A test of the handlers of `router`.
    ///
    /// A route to a connectable is connected for each effect, as in a worker, and its end cannot be detected.
    public init(_ router: EffectRouter<Effect, Event>) {
        open = { events in RouterUnderTest(router, events) }
    }

    /// A test of one effect handler.
    public init<Handler: EffectHandler>(_ handler: Handler)
    where Handler.EffectParameters == Effect, Handler.Event == Event {
        self.init(EffectRouter<Effect, Event>().routeEffects(withParameters: { $0 }).to(handler))
    }

    /// A test of a connectable, whose effects' ends cannot be detected.
    ///
    /// So the spec does not wait automatically: use ``Then/afterEvents(_:)`` for a connectable that answers later.
    public init<Handler: Connectable>(_ handler: Handler) where Handler.Input == Effect, Handler.Output == Event {
        open = { events in ConnectableUnderTest(handler, events) }
    }

    /// When it gets these effects, one after the other.
    public func when(_ effect: Effect, _ moreEffects: Effect...) -> Then {
        Then(open: open, steps: ([effect] + moreEffects).map { .effect($0) })
    }

    /// The result of the effects.
    public struct Result {
        /// The events, in the order in which they came.
        public let events: [Event]
        /// Whether all effects have ended; always `false` for a connectable.
        public let hasEnded: Bool
        /// The events sent after ``Then/disposing()``, which a loop would ignore.
        public let lateEvents: [Event]

        init(_ log: EventLog<Event>, hasEnded: Bool) {
            (events, lateEvents) = log.values
            self.hasEnded = hasEnded
        }
    }
}

extension EffectHandlerSpec {
    /// Further steps, and the checks.
    public struct Then {
        enum Step {
            case effect(Effect)
            case advance(TestClock, Duration)
            case events(Int)
            case dispose
        }

        let open: Open
        let steps: [Step]

        /// And then gets these effects.
        public func when(_ effect: Effect, _ moreEffects: Effect...) -> Then {
            adding(([effect] + moreEffects).map { .effect($0) })
        }

        /// And then this time passes on the clock on which the handler sleeps.
        ///
        /// It is virtual time, which passes at once: before each waking the spec waits until every running effect has
        /// ended or sleeps (at most a second of real time, for effects that wait for something else).
        public func advancing(_ clock: TestClock, by duration: Duration) -> Then {
            adding([.advance(clock, duration)])
        }

        /// And then, after this number of events in total.
        ///
        /// For handlers that never end: without it the asynchronous `then` waits for the end of all effects. As the
        /// last step, it does not wait for later events.
        public func afterEvents(_ count: Int) -> Then {
            adding([.events(count)])
        }

        /// And then all effects are stopped, as when a loop ends; later events are ignored.
        ///
        /// The asynchronous `then` gives them a second to end, which handlers need not use.
        public func disposing() -> Then {
            adding([.dispose])
        }

        /// Then `assertion` checks the result, at once: for handlers that have finished when they return.
        ///
        /// Time cannot pass here; use the asynchronous form for that.
        public func then(_ assertion: (Result) -> Void, file: StaticString = #file, line: UInt = #line) {
            let events = EventLog<Event>()
            let handler = open(events)
            for step in steps {
                switch step {
                case .effect(let effect): handler.accept(effect, file, line)
                case .dispose: stop(handler, events)
                case .advance, .events:
                    failTest("A spec in which something is waited for needs `await` before it.", file, line)
                }
            }
            let result = Result(events, hasEnded: handler.hasEnded)
            stop(handler, events)
            assertion(result)
        }

        /// Then `assertion` checks the result, once all effects have ended.
        ///
        /// Each wait lasts at most `within`, in real time; then the test fails.
        public func then(
            within deadline: Duration = .seconds(10), _ assertion: (Result) -> Void, file: StaticString = #file,
            line: UInt = #line
        ) async {
            let events = EventLog<Event>()
            let handler = open(events)
            var complaint: String?
            for step in steps where complaint == nil {
                complaint = await perform(step, handler, events, within: deadline, file, line)
            }
            if complaint == nil { complaint = await waitForTheEnd(of: handler, within: deadline) }
            let result = Result(events, hasEnded: handler.hasEnded)
            stop(handler, events)
            if let complaint {
                let came = ValueText(result.events).text
                failTest("After \(deadline) \(complaint). The events so far:\n  \(came)", file, line)
            }
            assertion(result)
        }

        /// Performs the step; returns the error if it waited in vain.
        private func perform(
            _ step: Step, _ handler: any HandlerUnderTest<Effect>, _ events: EventLog<Event>,
            within deadline: Duration, _ file: StaticString, _ line: UInt
        ) async -> String? {
            switch step {
            case .effect(let effect): handler.accept(effect, file, line)
            case .dispose: stop(handler, events)
            case .advance(let clock, let duration):
                await clock.advance(by: duration) {
                    await eventually(within: handler.patience) { clock.sleepers >= handler.effectsUnderWay }
                }
            case .events(let count):
                let came = await eventually(within: deadline) { events.count >= count }
                return came ? nil : "\(count) events had not come"
            }
            return nil
        }

        private func waitForTheEnd(
            of handler: any HandlerUnderTest<Effect>, within deadline: Duration
        ) async -> String? {
            guard handler.showsEnds else { return nil }
            switch steps.last {
            case .events, nil: return nil
            case .dispose:
                await eventually(within: .seconds(1)) { handler.hasEnded }
                return nil
            case .effect, .advance:
                let ended = await eventually(within: deadline) { handler.hasEnded }
                return ended ? nil : "the effects had not ended (see afterEvents(_:) for those that never do)"
            }
        }

        private func adding(_ more: [Step]) -> Then {
            Then(open: open, steps: steps + more)
        }

        private func stop(_ handler: any HandlerUnderTest<Effect>, _ events: EventLog<Event>) {
            events.close()
            handler.stop()
        }
    }
}
