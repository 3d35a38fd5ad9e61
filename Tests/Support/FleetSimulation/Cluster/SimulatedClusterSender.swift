import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusTestKit
import MobiusWire

/// Takes events of a simulated coordinator's loops to loops of other shards, as a client of the cluster does.
///
/// It does what `ClusterSender` does in production.
final class SimulatedClusterSender<Program: LoopProgram>: CrossShardSender {
    private let ports: HandedOver<SimulatedCoordinatorIO<Program>>
    private let shardSlices: ShardSlices
    private let term: HandedOver<LeaseTerm<Program>>

    init(_ ports: SimulatedCoordinatorIO<Program>, _ shardSlices: ShardSlices, of term: LeaseTerm<Program>) {
        self.ports = HandedOver(ports)
        self.shardSlices = shardSlices
        self.term = HandedOver(term)
    }

    func isForeign(_ loop: LoopID) -> Bool { !shardSlices.contains(loop) }

    func carry(
        _ parcel: CrossShardParcel, of effect: EffectID, to loop: LoopID,
        arrived: @escaping @Sendable (_ outcome: DeliveryOutcome) -> Void
    ) {
        guard let process = ports.value.process else { return }
        term.value.host.cluster.simulation.deliver(
            Delivering(parcel: parcel, effect: effect, loop: loop, sender: process, arrived: arrived), after: .zero)
    }
}

/// An event on its way to a loop of another shard.
final class Delivering<Program: LoopProgram> {
    let parcel: CrossShardParcel
    let effect: EffectID
    let loop: LoopID
    weak var sender: CoordinatorProcess<Program>?
    let arrived: @Sendable (_ outcome: DeliveryOutcome) -> Void
    var isOver = false

    init(
        parcel: CrossShardParcel, effect: EffectID, loop: LoopID, sender: CoordinatorProcess<Program>,
        arrived: @escaping @Sendable (_ outcome: DeliveryOutcome) -> Void
    ) {
        self.parcel = parcel
        self.effect = effect
        self.loop = loop
        self.sender = sender
        self.arrived = arrived
    }
}

// Events between the shards of a journal.
extension Simulation {
    /// Sends an event after a while, and again and again until its end is known or its sender has ended.
    func deliver(_ delivering: Delivering<Program>, after pause: Duration) {
        plan(after: pause + chance.microseconds(50...2000)) { simulation in
            guard !delivering.isOver, let sender = delivering.sender, sender.isAlive else { return }
            simulation.deliver(delivering, after: simulation.chance.milliseconds(50...400))
            // A stopped process sends nothing, and none without its lease.
            guard !sender.isStopped, sender.lease?.isOpen ?? true,
                let target = simulation.contact(of: delivering.loop), target.isAlive
            else { return }
            let request = simulation.newRequest()
            simulation.deliveries[request] = delivering
            simulation.history.carried[EventKey.delivery(of: delivering.effect)] = delivering.effect
            if delivering.parcel == .end { simulation.history.wantsEnd(of: delivering.loop) }
            sender.lease?.tells("an event for another shard")
            simulation.trace(sender.name, "carries \(delivering.effect) to \(target.name)")
            target.handle(delivering.parcel.request(of: delivering.effect, to: delivering.loop), as: request)
        }
    }

    /// Handles the answer to an event of another shard.
    ///
    /// - Returns: whether the request was one.
    func handleDelivery(_ request: RequestID, _ answer: ClientAnswer) -> Bool {
        guard let delivering = deliveries.removeValue(forKey: request) else { return false }
        switch delivering.parcel.outcome(answer) {
        case .arrived(.refusal(let reason)) where !history.has(delivering.effect, at: delivering.loop):
            // The loop would begin with it.
            history.refused(delivering.effect, .refusal(reason))
        case .arrived where answer.isOfNobody: history.missed(delivering.effect, at: delivering.loop)
        case .arrived where delivering.parcel == .end:
            history.confirmedEnd(of: delivering.loop)
            history.mayEndSilently.insert(delivering.effect)
        case .arrived, .uncertain: history.arrived(delivering.effect, at: delivering.loop)
        case .refused, .doubted, .unknown: break
        }
        plan(after: chance.microseconds(50...2000)) { simulation in
            guard !delivering.isOver, let sender = delivering.sender, sender.isAlive else { return }
            let outcome = delivering.parcel.outcome(answer)
            switch outcome {
            case .arrived, .uncertain:
                simulation.cluster?.counts.carried += 1
                delivering.end(outcome, in: sender)
            case .refused: delivering.end(outcome, in: sender)
            case .doubted:
                // As in production it is asked again after a while.
                delivering.isOver = true
                simulation.cluster?.counts.doubted += 1
                simulation.plan(after: simulation.chance.milliseconds(100...2000)) { _ in
                    if sender.isAlive { delivering.end(outcome, in: sender) }
                }
            case .unknown: break
            }
        }
        return true
    }
}

extension Delivering {
    fileprivate func end(_ outcome: DeliveryOutcome, in sender: CoordinatorProcess<Program>) {
        isOver = true
        sender.finish { arrived(outcome) }
    }
}

extension History {
    /// Checks that an event of which its sender is told that it arrived is on disk.
    func arrived(_ effect: EffectID, at loop: LoopID) {
        if requested[effect]?.plan.asks != true || ended.contains(effect.loop) { mayEndSilently.insert(effect) }
        if !has(effect, at: loop) {
            violated(.nothingLost, "\(effect) has arrived at \(loop), but is not on disk there")
        }
    }
}

extension ClientAnswer {
    /// Whether it says that there is no such loop, or that it has ended.
    fileprivate var isOfNobody: Bool {
        switch self {
        case .notFound: true
        case .refused(let refusal): refusal.code == .ended || refusal.code == .unknownName
        default: false
        }
    }
}
