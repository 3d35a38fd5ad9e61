import MobiusEngine
import MobiusRuntime
import MobiusTransport

/// Runs a worker's edge on one thread, and moves it to another thread when a handler blocks the first one.
// @unchecked Sendable: only one thread at a time uses the edge. The next thread starts after the former one has
// released the socket lock for a handler, and the former one does not lock again.
final class IOThreadHandoff: @unchecked Sendable {
    private let edge: WorkerEdge
    private let ended: @Sendable (Result<WorkerExit, any Error>) -> Void

    /// - Parameter ended: called once, after the edge is closed, on the thread that runs the edge at that time.
    init(edge: WorkerEdge, ended: @escaping @Sendable (Result<WorkerExit, any Error>) -> Void) {
        self.edge = edge
        self.ended = ended
    }

    /// Connects and runs the edge on the calling thread, which must be the one that created the edge.
    func begin() {
        run { try edge.begin() }
    }

    private func continueOnNewThread() {
        SocketThread(name: "worker").start { [self] in
            run { edge.takeOver() }
        }
    }

    private func run(_ first: () throws -> Void) {
        let result = Result {
            try first()
            return try EffectContext.withThread { try edge.run(onStall: { self.continueOnNewThread() }) }
        }
        switch result {
        case .success(nil): return  // another thread runs the edge
        case .success(let exit?): end(.success(exit))
        case .failure(let error): end(.failure(error))
        }
    }

    private func end(_ result: Result<WorkerExit, any Error>) {
        edge.close()
        ended(result)
    }
}
