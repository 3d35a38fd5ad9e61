import Logging
import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire

/// The main function of a ``WorkerPool``'s socket thread.
struct PoolThread<Event: Codable & Sendable>: Sendable {
    let bind: String
    let timing: SessionTiming
    let maximumPayload: UInt32
    let security: EdgeSecurity
    let logger: Logger

    /// Runs until the pool is closed; calls `listening` once, after binding the socket or failing to.
    func run(_ mailbox: PoolMailbox<Event>, listening: (Result<String, CoordinatorError>) -> Void) {
        let host = PoolHost<Event>(mailbox)
        do throws(CoordinatorError) {
            let (edge, endpoint) = try open(host, mailbox.wakeUp)
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
        // A random journal id, because the next pool reuses effect ids: workers drop effects of other journals.
        var random = SystemRandomNumberGenerator()
        let configuration = CoordinatorConfiguration(
            journal: .random(using: &random), epoch: 1, timing: timing, maximumPayload: maximumPayload,
            batchBytes: 16 << 10)
        do {
            let edge = try CoordinatorEdge(
                bind: bind, security: security, SharedMachine(configuration, now: .current), host: host, wakeUp: wakeUp,
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
