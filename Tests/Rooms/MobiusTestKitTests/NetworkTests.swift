import MobiusEngine
import MobiusTestKit
import Testing

/// What becomes of messages.
@Suite struct NetworkTests {
    private let start = Moment(nanoseconds: 1_000_000)

    /// The deliveries of messages of one byte each, numbered.
    private func carry(_ count: UInt8, _ faults: NetworkFaults, seed: UInt64 = 1) -> [Delivery] {
        let network = Network(faults: faults)
        let link = Link(number: 1, place: 0, epoch: 1)
        var chance = Chance(seed: seed)
        return (0..<count).flatMap {
            network.deliveries(of: [$0, $0, $0, $0], over: link, .toWorker, at: start, &chance)
        }
    }

    @Test func withoutFaultsEverythingArrivesOnceAndInOrder() {
        let deliveries = carry(100, NetworkFaults())
        #expect(deliveries.map { $0.bytes[0] } == Array(0..<100))
        #expect(zip(deliveries, deliveries.dropFirst()).allSatisfy { $0.moment <= $1.moment })
        #expect(deliveries.allSatisfy { !$0.isCut && $0.moment > start })
    }

    @Test func delaysKeepTheOrderOfOneWay() {
        let deliveries = carry(100, NetworkFaults(delayed: 3000))
        #expect(deliveries.map { $0.bytes[0] } == Array(0..<100))
        #expect(zip(deliveries, deliveries.dropFirst()).allSatisfy { $0.moment <= $1.moment })
        #expect(deliveries.last.map { $0.moment - start > .milliseconds(20) } == true)
    }

    @Test func someAreLostAndSomeComeTwice() {
        let lossy = carry(200, NetworkFaults(lost: 3000))
        #expect((100...180).contains(lossy.count))
        let doubled = carry(200, NetworkFaults(doubled: 3000))
        #expect((220...300).contains(doubled.count))
        #expect(Set(doubled.map { $0.bytes[0] }).count == 200)
    }

    @Test func whatIsCutOffIsShorter() {
        let cut = carry(100, NetworkFaults(cut: 10_000))
        #expect(cut.count == 100)
        #expect(cut.allSatisfy { $0.isCut && $0.bytes.count < 4 })
    }

    @Test func theTwoWaysDoNotHoldEachOtherUp() {
        let network = Network(faults: NetworkFaults(delayed: 10_000))
        let link = Link(number: 1, place: 0, epoch: 1)
        var chance = Chance(seed: 3)
        for _ in 0..<10 { _ = network.deliveries(of: [1], over: link, .toWorker, at: start, &chance) }
        let quiet = Network(faults: NetworkFaults())
        let up = quiet.deliveries(of: [1], over: link, .toCoordinator, at: start, &chance)
        #expect(up.first.map { $0.moment - start < .milliseconds(2) } == true)
    }
}
