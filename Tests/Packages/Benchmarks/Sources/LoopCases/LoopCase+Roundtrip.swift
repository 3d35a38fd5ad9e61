import MobiusCore

/// As many effects as a large screen has.
enum ScreenEffect: Sendable {
    case a01(Int), a02(String), a03(id: Int, name: String), a04(Int), a05(Int), a06(String), a07(Int), a08(Double)
    case a09(Int), a10([String]), a11(Int), a12(String), a13(Int), a14(Bool), a15(Int), a16(String), a17(Int)
    case a18(Double), a19(Int), a20(id: Int, name: String), a21(Int), a22(String), a23(Int), a24([Int]), a25(Int)
    case a26(String), a27(Int), a28(Int), a29(Int)
    case load(page: Int)
}

enum ScreenEvent: Sendable {
    case tapped
    case loaded(page: Int)
    case other
}

struct ScreenModel: Sendable {
    var page = 0
    var title = "The title of the screen"
    var isLoading = false
}

/// What floor and loop both call, and neither knows.
private struct ScreenCode: Sendable {
    let update: @Sendable (ScreenModel, ScreenEvent) -> Next<ScreenModel, ScreenEffect>
    let answer: @Sendable (Int) -> ScreenEvent?

    static func make() -> ScreenCode {
        opaque(
            ScreenCode(
                update: { model, event in
                    switch event {
                    case .tapped: return .dispatchEffects([.load(page: model.page + 1)])
                    case .loaded(let page):
                        var new = model
                        new.page = page
                        return .next(new)
                    case .other: return .noChange
                    }
                },
                answer: { page in .loaded(page: page) }))
    }
}

extension LoopCase {
    private typealias Router = EffectRouter<ScreenEffect, ScreenEvent>

    /// Event, effect, routed to an event: measured through the last of so many routes.
    static func roundtrip(routes: Int) -> LoopCase {
        LoopCase(
            name: "effect-roundtrip-\(routes)-route\(routes == 1 ? "" : "s")", batch: 4000, makeFloor: bareRoundtrip,
            makeOurs: {
                let code = ScreenCode.make()
                let router = router(others: routes - 1).routeCase(ScreenEffect.load(page:)).toEvent(code.answer)
                let loop = Mobius.loop(update: code.update, effectHandler: router.asConnectable)
                    .start(from: ScreenModel())
                return { events in for _ in 0..<events { loop.dispatchEvent(.tapped) } }
            })
    }

    private static func bareRoundtrip() -> Batch {
        let code = ScreenCode.make()
        var model = ScreenModel()
        return { events in
            for _ in 0..<events {
                for effect in code.update(model, .tapped).effects {
                    guard case .load(let page) = effect, let event = code.answer(page) else { continue }
                    if let new = code.update(model, event).model { model = new }
                }
            }
            touch(&model)
        }
    }

    /// A router with so many routes that the measured effect does not take.
    private static func router(others: Int) -> Router {
        var steps: [@Sendable (Router) -> Router] = [
            { $0.routeCase(ScreenEffect.a03).toEvent { _, _ in .other } },
            { $0.routeCase(ScreenEffect.a08).toEvent { _ in .other } },
            { $0.routeCase(ScreenEffect.a10).toEvent { _ in .other } },
            { $0.routeCase(ScreenEffect.a14).toEvent { _ in .other } },
            { $0.routeCase(ScreenEffect.a18).toEvent { _ in .other } },
            { $0.routeCase(ScreenEffect.a20).toEvent { _, _ in .other } },
            { $0.routeCase(ScreenEffect.a24).toEvent { _ in .other } },
        ]
        for enumCase in texts { steps.append { router in router.routeCase(enumCase).toEvent { _ in .other } } }
        for enumCase in numbersOfScreen {
            steps.append { router in router.routeCase(enumCase).toEvent { _ in .other } }
        }
        precondition(steps.count >= others, "There are only \(steps.count) other routes.")
        return steps.prefix(others).reduce(Router()) { router, step in step(router) }
    }

    private static let texts: [@Sendable (String) -> ScreenEffect] = [
        ScreenEffect.a02, ScreenEffect.a06, ScreenEffect.a12, ScreenEffect.a16, ScreenEffect.a22, ScreenEffect.a26,
    ]

    private static let numbersOfScreen: [@Sendable (Int) -> ScreenEffect] = [
        ScreenEffect.a01, ScreenEffect.a04, ScreenEffect.a05, ScreenEffect.a07, ScreenEffect.a09, ScreenEffect.a11,
        ScreenEffect.a13, ScreenEffect.a15, ScreenEffect.a17, ScreenEffect.a19, ScreenEffect.a21, ScreenEffect.a23,
        ScreenEffect.a25, ScreenEffect.a27, ScreenEffect.a28, ScreenEffect.a29,
    ]
}
