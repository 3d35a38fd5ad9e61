import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusWire

// What senders, clients and local handlers hand in.
extension CoordinatorProcess {
    /// Sends an event from a sender in this process.
    func send(_ request: RequestID, to loop: LoopID, key: String, _ event: Payload) {
        post(.outside(request, loop, key: key, event))
    }

    /// Handles a client's request.
    package func handle(_ request: ClientRequest, as id: RequestID) {
        perform { [self] in
            driver.now = world.now
            try driver.receive(request, as: id, sender: request.access == .operate ? "operator" : nil)
            try driver.answerClients()
        }
    }

    /// Handles the outcome of a local handler.
    package func handle(_ outcome: HandlerOutcome) {
        act { [self] in
            world.log(name, outcome.summary(nil))
            switch outcome {
            case .report(let id, let event, let final):
                world.history.said(id, event, final: final, at: world.now)
            case .failed(let id, let failure): world.history.failed(id, failure, at: world.now)
            }
            post(.local(outcome))
        }
    }
}
