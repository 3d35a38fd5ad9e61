import Logging
import MobiusClient
import MobiusDriver
import MobiusWire
import Synchronization

/// The relay from this process to shards that other processes run: a client of the cluster.
///
/// There is none in a journal of one shard.
final class ClusterRelay: Sendable {
    private let client = Mutex<FleetClient?>(nil)

    /// Its client, made the first time.
    func open(_ make: () -> FleetClient) -> FleetClient {
        client.withLock { client in
            let opened = client ?? make()
            client = opened
            return opened
        }
    }

    func close() { client.withLock { $0 = nil } }

    /// Sends an event of this process to a loop that another one runs.
    ///
    /// - Returns: whether there is a relay: then the continuation is resumed.
    func send(
        _ event: Payload, to loop: LoopID, key: String, traceparent: String,
        _ continuation: CheckedContinuation<EventConfirmation, any Error>
    ) -> Bool {
        guard let client = client.withLock({ $0 }) else { return false }
        Task.detached {
            do {
                let answer = try await client.carry(
                    .send(loop: loop, key: key, event: event), traceparent: traceparent)
                continuation.resume(with: Result { try answer.confirmation })
            } catch {
                continuation.resume(throwing: CoordinatorError(.busy, "\(error)", underlying: error))
            }
        }
        return true
    }
}

extension ClientAnswer {
    /// The confirmation for a sender in this process.
    fileprivate var confirmation: EventConfirmation {
        get throws(CoordinatorError) {
            switch self {
            case .done(let confirmation): return confirmation
            case .dropped: return EventConfirmation(repeated: true)
            case .refused(let refusal):
                let code: CoordinatorError.Code =
                    switch refusal.code {
                    case .invalidEvent, .tooLarge: .invalidEvent
                    case .held: .held
                    case .ended: .ended
                    case .conflict: .conflict
                    case .tooManyLoops: .tooManyLoops
                    case .unknownName: .noProgram
                    default: .busy
                    }
                throw CoordinatorError(code, refusal.reason)
            default: throw CoordinatorError(.busy, "The coordinator of the loop answered \(command).")
            }
        }
    }
}
