import Logging
import MobiusClient
import MobiusDriver
import MobiusWire
import Synchronization

/// What goes from this process to shards that other processes run: a client of the cluster for each kind of reader.
///
/// There is none in a journal of one shard.
final class ClusterRelay: Sendable {
    /// The clients, one for those who see everything and one for people.
    struct Clients: Sendable {
        let all: FleetClient
        let people: FleetClient
    }

    private let clients = Mutex<Clients?>(nil)

    /// Whether there is one.
    var isOpen: Bool { clients.withLock { $0 } != nil }

    /// Its clients, made the first time.
    func open(_ make: () -> Clients) -> Clients {
        clients.withLock { clients in
            let opened = clients ?? make()
            clients = opened
            return opened
        }
    }

    func close() { clients.withLock { $0 = nil } }

    /// Sends an event of this process to a loop that another one runs.
    ///
    /// - Returns: whether there is a relay: then the continuation is resumed.
    func send(
        _ event: Payload, to loop: LoopID, key: String, traceparent: String,
        _ continuation: CheckedContinuation<EventConfirmation, any Error>
    ) -> Bool {
        guard let client = clients.withLock({ $0 })?.all else { return false }
        Task.detached {
            do {
                let answer = try await client.carry(event, to: loop, key: key, traceparent: traceparent)
                continuation.resume(with: Result { try answer.confirmation })
            } catch {
                continuation.resume(throwing: CoordinatorError(.busy, "\(error)", underlying: error))
            }
        }
        return true
    }

    /// Asks those who run the loops, for the caller of this name; `nil` without a relay.
    func ask(
        _ request: ClientRequest, isForPeople: Bool, traceparent: String, sender: String?
    ) async -> ClientAnswer? {
        guard let clients = clients.withLock({ $0 }) else { return nil }
        let client = isForPeople ? clients.people : clients.all
        // Rights may change while one watches.
        let limit: Duration? = if case .watch = request { .seconds(25) } else { nil }
        return (try? await client.relay(request, traceparent: traceparent, sender: sender, timeout: limit))
            ?? .busy(retryAfter: 1000)
    }
}

extension ClientAnswer {
    /// What a sender in this process is told.
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
                    default: .busy
                    }
                throw CoordinatorError(code, refusal.reason)
            default: throw CoordinatorError(.busy, "The coordinator of the loop answered \(command).")
            }
        }
    }
}
