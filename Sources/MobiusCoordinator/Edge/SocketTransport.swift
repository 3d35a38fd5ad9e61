import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire

/// Sends a driver's messages to workers and clients over their sockets.
final class SocketTransport: CoordinatorTransport {
    let socket: Socket
    private let clients: ClientPort?
    // Reused memory.
    private var frame: [UInt8] = []

    init(_ socket: consuming Socket, clients: ClientPort?) {
        self.socket = socket
        self.clients = clients
    }

    func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) throws -> Bool {
        frame.removeAll(keepingCapacity: true)
        envelope.encode(into: &frame)
        let outcome = try socket.send(to: peer.routingID, frame)
        if case .effects = envelope.message { Failpoint.afterSend.pass() }
        if case .ack = envelope.message { Failpoint.afterAck.pass() }
        switch outcome {
        case .sent, .wouldBlock: return true  // a full buffer drops it: the protocol recovers from losses
        case .unreachable: return false
        }
    }

    func answer(_ request: RequestID, _ answer: ClientAnswer) throws {
        try clients?.answer(request, answer)
    }
}
