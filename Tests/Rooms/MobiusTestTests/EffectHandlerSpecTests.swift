import Dispatch
import Foundation
import MobiusCore
import MobiusTest
import Synchronization
import Testing

/// Dialogues with effect handlers.
@Suite struct EffectHandlerSpecTests {
    enum Effect: Equatable { case say(String), remind(after: Int), count(to: Int), hang, stop }
    enum Event: Equatable { case said(String), reminded(Int), counted(Int) }
    typealias Router = EffectRouter<Effect, Event>

    private let clock = TestClock()

    private var router: Router {
        let clock = clock
        return Router()
            .routeCase(Effect.say).toEvent { .said($0) }
            .routeCase(Effect.remind).toEvent { seconds in
                guard (try? await clock.sleep(for: .seconds(seconds))) != nil else { return nil }
                return .reminded(seconds)
            }
            .routeCase(Effect.count).toEvents { last in
                AsyncStream { continuation in
                    let task = Task {
                        for number in 1...last {
                            guard (try? await clock.sleep(for: .seconds(1))) != nil else { break }
                            continuation.yield(.counted(number))
                        }
                        continuation.finish()
                    }
                    continuation.onTermination = { _ in task.cancel() }
                }
            }
            .routeCase(Effect.hang).to { _, callback in AnonymousDisposable { callback.end() } }
            .routeCase(Effect.stop).cancels { _, effect in effect == .hang }
    }

    @Test func `a handler that answers at once`() {
        EffectHandlerSpec(router).when(.say("a"), .say("b")).then(
            assertThatEvents(hasExactlyEvents([.said("a"), .said("b")]), hasEnded()))
    }

    @Test func `a handler that answers later`() async {
        let spec = EffectHandlerSpec(
            Router().routeCase(Effect.say).toEvent { text in
                await Task.yield()
                return .said(text)
            })
        await spec.when(.say("a"), .say("b")).then(
            assertThatEvents(hasOnlyEvents([.said("b"), .said("a")]), hasEnded()))
    }

    @Test func `an hour passes at once`() async {
        await EffectHandlerSpec(router).when(.remind(after: 3600), .remind(after: 60))
            .advancing(clock, by: .seconds(3600))
            .then(assertThatEvents(hasExactlyEvents([.reminded(60), .reminded(3600)]), hasEnded()))
    }

    @Test func `time that has not passed wakes nobody`() async {
        await EffectHandlerSpec(router).when(.remind(after: 10)).advancing(clock, by: .seconds(9)).disposing()
            .then(assertThatEvents(hasNoEvents(), hasEnded()))
    }

    @Test func `a handler that sleeps again and again wakes at each of its times`() async {
        await EffectHandlerSpec(router).when(.count(to: 100)).advancing(clock, by: .seconds(100))
            .then(assertThatEvents(hasExactlyEvents((1...100).map { .counted($0) }), hasEnded()))
    }

    @Test func `a handler that goes on for ever is stopped after some events`() async {
        await EffectHandlerSpec(router).when(.count(to: .max)).advancing(clock, by: .seconds(3)).afterEvents(3)
            .disposing()
            .then(assertThatEvents(hasExactlyEvents([.counted(1), .counted(2), .counted(3)]), hasEnded()))
    }

    @Test func `nothing is taken from effects that were stopped`() {
        final class Keeper: EffectHandler {
            let callbacks = Mutex<[EffectCallback<Event>]>([])

            func handle(_ effect: Effect, _ callback: EffectCallback<Event>) -> any Disposable {
                callbacks.withLock { $0.append(callback) }
                callback.send(.said("before"))
                return AnonymousDisposable { callback.send(.said("after")) }
            }
        }
        EffectHandlerSpec(Keeper()).when(.hang).disposing().then { result in
            #expect(result.events == [.said("before")])
            #expect(result.lateEvents == [.said("after")])
            #expect(!result.hasEnded)
        }
    }

    @Test func `one effect cancels another`() async {
        await EffectHandlerSpec(router).when(.hang).when(.stop).then(assertThatEvents(hasNoEvents(), hasEnded()))
    }

    @Test func `policies hold`() async {
        let clock = clock
        let router = Router().routeCase(Effect.remind).executing(.cancelPrevious).toEvent { seconds in
            guard (try? await clock.sleep(for: .seconds(seconds))) != nil else { return nil }
            return .reminded(seconds)
        }
        await EffectHandlerSpec(router).when(.remind(after: 2), .remind(after: 1)).advancing(clock, by: .seconds(5))
            .then(assertThatEvents(hasExactlyEvents([.reminded(1)])))
    }

    @Test func `a route to a connectable is not waited for`() async {
        let connectable = AnyConnectable<String, Event> { consumer in
            Connection(acceptClosure: { text in consumer(.said(text)) }, disposeClosure: {})
        }
        await EffectHandlerSpec(Router().routeCase(Effect.say).to(connectable)).when(.say("a")).then(
            assertThatEvents(hasExactlyEvents([.said("a")])))
    }

    @Test func `an effect without a route is a programmer error at the line of the test`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            MobiusHooks.setErrorHandler { message, file, _ in
                FileHandle.standardError.write(Data("\(message) [\(file)]".utf8))
                exit(70)
            }
            EffectHandlerSpec(Router().routeCase(Effect.say).toEvent { .said($0) }).when(.hang).then { _ in }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.hasPrefix("No route takes the effect Effect.hang."))
        #expect(text.hasSuffix("[MobiusTestTests/EffectHandlerSpecTests.swift]"))
    }

    @Test func `a connectable`() async {
        let connectable = AnyConnectable<Effect, Event> { consumer in
            Connection(
                acceptClosure: { effect in
                    if case .say(let text) = effect { DispatchQueue.global().async { consumer(.said(text)) } }
                }, disposeClosure: {})
        }
        await EffectHandlerSpec(connectable).when(.say("a")).afterEvents(1).then(
            assertThatEvents(hasExactlyEvents([.said("a")])))
    }

    @Test func `the same spec may be asked several times`() {
        let when = EffectHandlerSpec(router).when(.say("a"))
        for _ in 0..<2 { when.then(assertThatEvents(hasExactlyEvents([.said("a")]))) }
    }

    @Test func `an effect that does not end fails the test, with what has come`() async {
        let line = #line
        await withKnownIssue {
            await EffectHandlerSpec(router).when(.say("a"), .hang)
                .then(within: .milliseconds(20), assertThatEvents(hasExactlyEvents([.said("a")])))
        } matching: { issue in
            issue.sourceLocation?.line == line + 3
                && issue.comments.first?.rawValue == """
                    After 0.02 seconds the effects had not ended (see afterEvents(_:) for those that never do). The events \
                    so far:
                      [.said("a")]
                    """
        }
    }

    @Test func `events that do not come fail the test`() async {
        await withKnownIssue {
            await EffectHandlerSpec(router).when(.say("a")).afterEvents(2)
                .then(within: .milliseconds(20), assertThatEvents(hasEvents([.said("a")])))
        } matching: { issue in
            issue.comments.first?.rawValue.hasPrefix("After 0.02 seconds 2 events had not come.") == true
        }
    }

    @Test func `what matchers of events say`() {
        let failures = Failures()
        EffectHandlerSpec(router).when(.say("a"), .hang).then(
            assertThatEvents(
                hasNoEvents(), hasEvents([.said("b")]), hasOnlyEvents([]), hasExactlyEvents([.said("b")]), hasEnded(),
                failFunction: failures.record))
        #expect(
            failures.messages == [
                "Expected no events, but there are some.\n  actual: [.said(\"a\")]",
                "Expected events are missing:\n  missing: [.said(\"b\")]\n  actual: [.said(\"a\")]",
                """
                The events are not those expected:
                  unexpected: [.said("a")]
                (− expected, + actual)
                − []
                + [.said("a")]
                """,
                """
                The events are not those expected:
                  missing: [.said("b")]
                  unexpected: [.said("a")]
                (− expected, + actual)
                − [.said("b")]
                + [.said("a")]
                """,
                "Expected the effects to have ended, but they have not.",
            ])
    }
}
