import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct ConnectableMapTests {
    /// Doubles what it is given; its story is what happened to it.
    private func doubling(_ story: Journey<String>) -> AnyConnectable<Int, Int> {
        AnyConnectable { consumer in
            Connection(
                acceptClosure: { input in
                    story.add("\(input)")
                    consumer(input * 2)
                }, disposeClosure: { story.add("disposed") })
        }
    }

    @Test func `map changes the outputs`() {
        let (story, outputs) = (Journey<String>(), Journey<String>())
        let connection = doubling(story).map { "<\($0)>" }.connect { outputs.add($0) }
        connection.accept(2)
        connection.dispose()
        #expect(outputs.elements == ["<4>"])
        #expect(story.elements == ["2", "disposed"])
    }

    @Test func `contramap changes the inputs`() {
        let (story, outputs) = (Journey<String>(), Journey<Int>())
        let connection = doubling(story).contramap { (text: String) in text.count }.connect { outputs.add($0) }
        connection.accept("three")
        connection.dispose()
        connection.accept("late")
        #expect(outputs.elements == [10])
        #expect(story.elements == ["5", "disposed"])
    }

    @Test func `a child's handler serves its parent`() {
        enum ParentEvent: Equatable { case child(Int) }
        enum ParentEffect { case child(Int) }
        let handler = doubling(Journey())
            .contramap { (effect: ParentEffect) in
                switch effect {
                case .child(let number): number
                }
            }
            .map(ParentEvent.child)
        let loop = Mobius.loop(
            update: { (model: Int, event: ParentEvent) -> Next<Int, ParentEffect> in
                switch event {
                case .child(let number): .next(model + number)
                }
            }, effectHandler: handler
        ).start(from: 1, effects: [.child(20), .child(1)])
        #expect(loop.latestModel == 43)
        loop.dispose()
    }
}
