import Greeter
import MobiusCore
import Testing

/// Routes as the README writes them: all types follow from the context.
@Suite struct GreeterRoutesTests {
    private var handler: EffectRouter<Greeter.Effect, Greeter.Event> {
        EffectRouter()
            .routeCase(Greeter.Effect.greet).toEvent { name in
                let greeting = "hello \(name)"
                return greeting.isEmpty ? .greetingFailed(name, "nothing to say") : .greeted(name)
            }
    }

    private var asyncHandler: EffectRouter<Greeter.Effect, Greeter.Event> {
        EffectRouter()
            .routeCase(Greeter.Effect.greet).toEvent { name in
                await Task.yield()
                return .greeted(name)
            }
    }

    @Test func `a guest is greeted`() {
        #expect(handler.events(for: .greet("Ada")) == [.greeted("Ada")])
    }

    @Test func `a guest is greeted, in a while`() async throws {
        let answer = Answer<Greeter.Event>()
        let route = try #require(asyncHandler.handler(for: .greet("Ada")))
        #expect(route.kind == .suspending)
        _ = route.run(answer.callback)
        #expect(await eventually { answer.outputs == [.greeted("Ada")] })
    }
}
