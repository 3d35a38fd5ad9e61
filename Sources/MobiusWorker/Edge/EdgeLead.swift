import MobiusEngine
import MobiusRuntime
import ZeroMQ

/// Runs a worker's edge on one thread after the other: on the next one when a handler keeps the last.
// @unchecked Sendable: the edge is used by one thread at a time. The next one begins when the one before has given its turn
// away for a handler, and does not take it again.
final class EdgeLead: @unchecked Sendable {
    private let edge: WorkerEdge
    private let ended: @Sendable (Result<WorkerExit, any Error>) -> Void

    /// - Parameter ended: told once, on whichever thread has it then, when the edge is closed.
    init(edge: WorkerEdge, ended: @escaping @Sendable (Result<WorkerExit, any Error>) -> Void) {
        self.edge = edge
        self.ended = ended
    }

    /// Connects, and runs on the calling thread; the one that made the edge.
    func begin() {
        run { try edge.begin() }
    }

    private func goOn() {
        SocketThread(name: "worker").start { [self] _ in
            run { edge.takeOver() }
        }
    }

    private func run(_ first: () throws -> Void) {
        let result = Result {
            try first()
            return try EffectContext.withThread { try edge.run(orReplace: { self.goOn() }) }
        }
        switch result {
        case .success(nil): return  // another thread has it
        case .success(let exit?): end(.success(exit))
        case .failure(let error): end(.failure(error))
        }
    }

    private func end(_ result: Result<WorkerExit, any Error>) {
        edge.close()
        ended(result)
    }
}
