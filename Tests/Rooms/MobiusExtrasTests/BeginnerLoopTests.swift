import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct BeginnerLoopTests {
    private enum Event { case up, down }

    @Test func `every event publishes what the update returns`() {
        let loop = Mobius.beginnerLoop(update: { (model: Int, event: Event) in
            event == .up ? model + 1 : max(0, model - 1)
        }).start(from: 1)
        let models = Journey<Int>()
        loop.addObserver { models.add($0) }
        for event in [Event.down, .down, .up] { loop.dispatchEvent(event) }
        loop.dispose()
        loop.dispatchEvent(.up)
        #expect(models.elements == [1, 0, 0, 1])
    }

    @Test func `in place, the model's storage stays where it is`() {
        let loop = Mobius.beginnerLoop(inPlace: { (model: inout [Int], event: Int) in model[0] += event })
            .start(from: Array(repeating: 0, count: 100))
        func place() -> UInt {
            loop.latestModel.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        loop.dispatchEvent(1)
        let before = place()
        loop.dispatchEvent(2)
        #expect(loop.latestModel[0] == 3)
        #expect(place() == before)
    }
}
