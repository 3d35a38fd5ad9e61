import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct LoggerTests {
    private func update(_ model: Int, _ event: String) -> Next<Int, String> {
        switch event {
        case "up": .next(model + 1, effects: ["beep", "boop"])
        case "beep": .dispatchEffects(["silence"])
        default: .noChange
        }
    }

    private var deaf: AnyConnectable<String, String> {
        AnyConnectable { _ in Connection(acceptClosure: { _ in }, disposeClosure: {}) }
    }

    @Test func `the simple logger writes a line for each thing`() {
        let lines = Journey<String>()
        let loop = Mobius.loop(update: update, effectHandler: deaf)
            .withLogger(SimpleLogger(tag: "Counter") { lines.add($0) })
            .start(from: 1, effects: ["hello"])
        for event in ["up", "beep", "nothing"] { loop.dispatchEvent(event) }
        loop.dispose()
        #expect(
            lines.elements == [
                "Counter: Initializing loop",
                "Counter: Loop initialized, starting from model: 1",
                "Counter: Effect dispatched: hello",
                "Counter: Event received: up",
                "Counter: Model updated: 2",
                "Counter: Effect dispatched: beep",
                "Counter: Effect dispatched: boop",
                "Counter: Event received: beep",
                "Counter: Effect dispatched: silence",
                "Counter: Event received: nothing",
            ])
    }

    @Test func `its tag is Mobius unless said otherwise`() {
        let lines = Journey<String>()
        SimpleLogger<Int, Int, Int>(consumer: { lines.add($0) }).willUpdate(model: 1, event: 2)
        #expect(lines.elements == ["Mobius: Event received: 2"])
    }

    @Test func `several loggers are told in the order they were added`() {
        let lines = Journey<String>()
        func logger(_ tag: String) -> SimpleLogger<Int, String, String> {
            SimpleLogger(tag: tag) { lines.add($0) }
        }
        let loop = Mobius.loop(update: update, effectHandler: deaf)
            .withLogger(CompositeLogger().addLogger(logger("a")).addLogger(Terse(lines: lines)))
            .start(from: 1)
        loop.dispatchEvent("up")
        loop.dispose()
        #expect(
            lines.elements == [
                "a: Initializing loop", "begin",
                "a: Loop initialized, starting from model: 1", "begun",
                "a: Event received: up", "before",
                "a: Model updated: 2", "a: Effect dispatched: beep", "a: Effect dispatched: boop", "after",
            ])
    }

    @Test func `loggers can be given all at once, or none`() {
        let lines = Journey<String>()
        CompositeLogger(loggers: [AnyMobiusLogger(Terse(lines: lines)), AnyMobiusLogger(Terse(lines: lines))])
            .willInitiate(model: 1)
        CompositeLogger<Int, String, String>().willInitiate(model: 1)
        #expect(lines.elements == ["begin", "begin"])
    }
}

/// A logger of few words.
private struct Terse: MobiusLogger {
    let lines: Journey<String>

    func willInitiate(model: Int) { lines.add("begin") }
    func didInitiate(model: Int, first: First<Int, String>) { lines.add("begun") }
    func willUpdate(model: Int, event: String) { lines.add("before") }
    func didUpdate(model: Int, event: String, next: Next<Int, String>) { lines.add("after") }
}
