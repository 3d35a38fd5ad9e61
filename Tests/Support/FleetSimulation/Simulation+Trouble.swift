import MobiusCore
import MobiusEngine
package import MobiusTestKit
import MobiusWire

// Troubles that only simulations have: a coordinator that is replaced while it runs, and strangers.
extension Simulation {
    package func make(_ trouble: Trouble) {
        switch trouble {
        case .replaceCoordinator: replaceCoordinator()
        case .unknownPeer: sendFromUnknownPeer()
        default: preconditionFailure("The world makes the other troubles itself.")
        }
    }

    /// Starts a second coordinator on the journal while the first one still runs, after being stopped for a while.
    private func replaceCoordinator() {
        guard cluster == nil, world.replacedCoordinators.isEmpty, let old = world.coordinator, old.isAlive,
            !old.isEnding
        else {
            return
        }
        world.log("trouble", "\(old.name) is replaced while it still runs")
        world.replacedCoordinators = [old]
        world.coordinator = nil
        if !old.isStopped { world.applyFault(old, .stopped(world.randomPause())) }
        plan(after: chance.milliseconds(1...300)) { $0.world.startCoordinator() }
        plan(after: world.fleet.timing.deadAfter * 4) { $0.world.crash(old) }
    }

    /// Connects an unknown peer that sends malformed bytes, or messages without a valid session.
    private func sendFromUnknownPeer() {
        guard let coordinator = world.anyCoordinator, coordinator.isAlive else { return }
        world.lastLink += 1
        let link = Link(number: world.lastLink, place: 0, epoch: coordinator.epoch)
        link.isOpen = false
        world.links[world.lastLink] = link
        var bytes: [UInt8] = []
        switch chance.number(0...3) {
        case 0: bytes = (0..<chance.number(0...80)).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
        case 1:
            Envelope(epoch: coordinator.epoch, session: 1, message: WorkerMessage.credit(total: 9)).encode(into: &bytes)
        case 2:
            let id = AttemptID(
                effect: EffectID(loop: .main, sequence: UInt64(chance.number(0...9)), index: 0),
                attempt: Attempt(epoch: coordinator.epoch, number: 1))
            let report = EventReport(id: ReportID(attempt: id, number: 1), final: true, event: world.nonsense(3))
            Envelope(
                epoch: coordinator.epoch, session: UInt64(chance.number(0...5)),
                message: WorkerMessage.events(creditTotal: 1, [report])
            )
            .encode(into: &bytes)
        default:
            let hello = Hello(
                versions: [99], incarnation: Incarnation(high: 99, low: world.lastLink), pools: ["bank"],
                build: "stranger",
                contentTypes: [], creditTotal: 5)
            Envelope(epoch: 0, session: 0, message: WorkerMessage.hello(hello)).encode(into: &bytes)
        }
        world.log("trouble", "unknown peer \(link.number) sends \(bytes.count) bytes")
        coordinator.arrive(Delivery(bytes: bytes, moment: world.now, isCut: false), from: Peer(link.number))
    }
}
