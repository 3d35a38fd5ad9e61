import MobiusTransport

/// What the documentation comments of this room show; DocumentationTests compares them.
enum CommentExamples {
    static func options(_ socket: borrowing Socket) throws {
        // example: comment-option
        try socket.set(.routerMandatory, to: true)
        try socket.set(.linger, to: .seconds(1))
        // end
    }

    static func poll(_ socket: borrowing Socket, _ interruption: WakeUp) throws {
        // example: comment-poller
        var poller = Poller()
        let workers = poller.add(socket, for: .readable)
        let wakeUp = poller.add(interruption)
        while !poller.isReadable(workers), !poller.isReadable(wakeUp) {
            _ = try poller.wait(timeout: .seconds(1))
        }
        // end
    }

    static func lock(
        _ context: Context, _ wakeUp: WakeUp, _ send: (borrowing Socket) throws -> Void
    ) throws {
        // example: comment-lock
        let lock = SocketLock()  // the calling thread's
        let socket = try context.socket(.router, lock: lock)
        // end
        // example: comment-try-lock
        if lock.tryLock() {  // on another thread
            try send(socket)
            let isReadable = try socket.isReadable
            lock.unlock()
            if isReadable { wakeUp.signal() }  // else the sleeper might not see what came meanwhile
        }
        // end
    }
}
