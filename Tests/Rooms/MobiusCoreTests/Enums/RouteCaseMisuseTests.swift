import MobiusCore
import Testing

/// What `routeCase` cannot do is a programmer error with a sentence that says what to do.
@Suite struct RouteCaseMisuseTests {
    enum Effect { case fetch(String), call((Int) -> Int), kind(Int.Type), idle }

    @Test func `a payload that no case carries`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            _ = EffectRouter<Effect, Int>().routeCase { (number: Double) in Effect.fetch("\(number)") }
        }
        #expect(
            message(of: result) == """
                routeCase(_:) was given a function from Double, and no case of Effect carries that. Give it a case \
                itself, as in routeCase(Effect.someCase), or use routeEffects(withParameters:). \
                [RouteCaseMisuseTests.swift]
                """)
    }

    @Test func `a function payload, whose bytes mean other things elsewhere`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            _ = EffectRouter<Effect, Int>().routeCase(Effect.call)
        }
        #expect(message(of: result).hasPrefix("routeCase(_:) cannot take (Int) -> Int out of Effect"))
    }

    @Test func `a metatype payload, which is not stored`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            _ = EffectRouter<Effect, Int>().routeCase(Effect.kind)
        }
        #expect(message(of: result).hasPrefix("routeCase(_:) cannot take Int.Type out of Effect"))
    }

    @Test func `a value with payload of an enum that is not Equatable`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            _ = EffectRouter<Effect, Int>().routeCase(.fetch("secret"))
        }
        #expect(message(of: result).hasPrefix("routeCase(_:) was given a value of Effect, which must be an Equatable"))
        #expect(!message(of: result).contains("secret"))
    }

    @Test func `an effect type that is no enum`() async {
        struct Request { var text: String }
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            _ = EffectRouter<Request, Int>().routeCase(Request.init(text:))
        }
        #expect(message(of: result).hasPrefix("routeCase(_:) needs an enum"))
    }

    @Test func `functions that extract parameters take what routeCase cannot`() {
        let router = EffectRouter<Effect, Int>()
            .routeEffects(withParameters: { if case .call(let function) = $0 { function } else { nil } })
            .toEvent { function in function(20) + 1 }
            .routeCase(Effect.idle).toEvent { 0 }
        #expect(router.events(for: .call { $0 * 2 }, .idle) == [41, 0])
    }
}
