import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

/// The names of the older pages of the wiki.
///
/// The tests are deprecated themselves, so that using them is no warning.
@Suite struct OlderNamesTests {
    private typealias Counter = Mobius.Builder<Int, String, String>

    private var builder: Counter {
        Mobius.loop(
            update: { (model: Int, event: String) in .next(model + event.count) },
            effectHandler: EffectRouter<String, String>().routeEffects(withParameters: { $0 }).toEvent { $0 })
    }

    @available(*, deprecated)
    @Test func `the page on apps: a builder with an initiator and a logger, and a controller from it`() {
        let lines = Journey<String>()
        let initiator: Initiator<Int, String> = { First(model: $0 + 10, effects: ["one"]) }
        let builder = builder.withInitiator(initiator).logger(ConsoleLogger(tag: "my_app") { lines.add($0) })
        let controller = MobiusController(builder: builder, defaultModel: 1)
        #expect(!controller.isRunning)
        controller.start()
        #expect(controller.isRunning)
        controller.stop()
        #expect(controller.getModel() == 14)
        #expect(
            lines.elements == [
                "my_app: Initializing loop", "my_app: Loop initialized, starting from model: 11",
                "my_app: Effect dispatched: one", "my_app: Event received: one", "my_app: Model updated: 14",
            ])
        controller.start()
        controller.stop()
        #expect(controller.getModel() == 27)
    }

    @available(*, deprecated)
    @Test func `a loop starts as its initiator says, and with the effects it is started with`() {
        let loop = builder.withInitiator { First(model: $0 * 10, effects: ["a"]) }.start(from: 1, effects: ["bb"])
        #expect(loop.getMostRecentModel() == 13)
        loop.dispose()
    }

    @available(*, deprecated)
    @Test func `a controller's own initiate takes the initiator's place`() {
        let controller = builder.withInitiator { First(model: $0 + 10) }
            .makeController(from: 1, initiate: { First(model: $0 + 100) })
        controller.start()
        controller.stop()
        #expect(controller.model == 101)
    }
}
