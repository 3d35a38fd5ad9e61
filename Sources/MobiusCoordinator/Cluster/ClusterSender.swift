import Logging
import MobiusClient
import MobiusDriver
import MobiusWire

/// Takes events of a shard's loops to loops of other shards, through a client of the cluster, while the lease of the shard is trusted.
final class ClusterSender: CrossShardSender {
    private let shardSlices: ShardSlices
    private let client: FleetClient
    private let gate: LeaseGate
    private let logger: Logger

    init(_ shardSlices: ShardSlices, _ client: FleetClient, gate: LeaseGate, logger: Logger) {
        self.shardSlices = shardSlices
        self.client = client
        self.gate = gate
        self.logger = logger
    }

    func isForeign(_ loop: LoopID) -> Bool { !shardSlices.contains(loop) }

    func carry(
        _ parcel: CrossShardParcel, of effect: EffectID, to loop: LoopID,
        arrived: @escaping @Sendable (_ outcome: DeliveryOutcome) -> Void
    ) {
        Task.detached { [client, gate, logger] in
            let request = parcel.request(of: effect, to: loop)
            var pause = Duration.milliseconds(50)
            while true {
                do {
                    // The client sends nothing after that, and is asked again if the lease was renewed.
                    let time = min(try await gate.time(), client.timeout)
                    let answer = try await client.carry(request, timeout: time)
                    let outcome = parcel.outcome(answer)
                    switch outcome {
                    case .arrived, .uncertain, .refused: return arrived(outcome)
                    case .doubted:
                        // Builds and settings change with coordinators.
                        try? await Task.sleep(for: .seconds(2))
                        _ = try await gate.time()
                        return arrived(outcome)
                    case .unknown: logger.debug("an event waits", metadata: ["loop": "\(loop)", "answer": "\(answer)"])
                    }
                } catch is LeaseGate.Closed {
                    // The next owner of the shard has the effect.
                    return
                } catch let error as FleetClientError where error.code == .closed {
                    return
                } catch {
                    logger.debug("an event waits", metadata: ["loop": "\(loop)", "reason": "\(error)"])
                }
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(2))
            }
        }
    }
}
