import Logging
import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// What the socket thread of a ``WorkerPool`` does, from binding its socket to the end.
struct PoolThread<Event: Codable & Sendable>: Sendable {
    let bind: String
    let timing: SessionTiming
    let maximumPayload: UInt32
    let security: EdgeSecurity
    let logger: Logger

    /// Runs until the pool is closed; `listening` is called once, early.
    func run(_ door: PoolDoor<Event>, listening: (Result<String, CoordinatorError>) -> Void) {
        let host = PoolHost<Event>(door)
        do throws(CoordinatorError) {
            let (edge, endpoint) = try open(host, door.wakeUp)
            logger.info("listening", metadata: ["endpoint": "\(endpoint)"])
            listening(.success(endpoint))
            do {
                try edge.run()
                host.end(PoolHost<Event>.closed)
                try edge.waitForReaders()
            } catch {
                logger.error("worker pool failed", metadata: ["error": "\(error)"])
                host.end("the worker pool has failed: \(error)")
            }
        } catch {
            listening(.failure(error))
        }
    }

    private func open(
        _ host: PoolHost<Event>, _ wakeUp: WakeUp
    ) throws(CoordinatorError) -> (CoordinatorEdge, endpoint: String) {
        // Names of effects mean nothing to the next pool: workers drop what they hold for another journal.
        var random = SystemRandomNumberGenerator()
        let configuration = CoordinatorConfiguration(
            journal: .random(using: &random), epoch: 1, timing: timing, maximumPayload: maximumPayload,
            batchBytes: 16 << 10)
        do {
            let edge = try CoordinatorEdge(
                bind: bind, security: security, configuration, host: host, wakeUp: wakeUp,
                log: CoordinatorLog(logger: logger),
                context: Context())
            return (edge, try edge.endpoint)
        } catch let error as CoordinatorError {
            throw error
        } catch {
            throw CoordinatorError(.endpoint, "Cannot listen on \(bind): \(error)", underlying: error)
        }
    }
}
