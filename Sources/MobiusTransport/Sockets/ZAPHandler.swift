import CZeroMQ

/// A request to connect to a socket with a ``SocketOption/zapDomain`` (ZeroMQ's RFC 27).
public struct ZAPRequest: Sendable, Hashable {
    /// The ``SocketOption/zapDomain`` of the socket that was connected to.
    public let domain: String
    /// The peer's network address, without its port; empty for ipc.
    public let address: String
    /// The public key that the peer proved to hold, 40 characters of Z85; `nil` for any other mechanism than CURVE.
    public let publicKey: String?
    let id: [UInt8]
}

/// Decides which peers may connect to the sockets of a context; a context has one handler.
///
/// Every connection to a socket with CURVE or a ``SocketOption/zapDomain`` waits for its answer, so a handler must
/// always answer at once. It may be on any thread of the context.
public struct ZAPHandler: ~Copyable {
    let socket: Socket

    /// Begins to listen; bind other sockets afterwards, so that no peer connects before.
    ///
    /// - Throws: `addressInUse` when the context has a handler already.
    public init(in context: Context) throws(ZeroMQError) {
        let socket = try context.socket(.reply)
        try socket.bind("inproc://zeromq.zap.01")
        self.socket = socket
    }

    /// The next request, or `nil` when none is waiting; never waits.
    ///
    /// Each must be answered before the next is read. Invalid requests are refused here.
    public func next() throws(ZeroMQError) -> ZAPRequest? {
        while true {
            var frames: [[UInt8]] = []
            var message = Message()
            repeat {
                guard try socket.receive(into: &message) else { return nil }
                if frames.count < 8 { frames.append(message.array) }
            } while message.more
            if let request = ZAPRequest(frames) { return request }
            try reply("400", frames.count > 1 ? frames[1] : [], "")
        }
    }

    /// Admits a peer under this name, which its messages then carry as the property `User-Id`; or refuses it for `nil`.
    ///
    /// The answer is 200 or 400, because a client that gets 300 hangs.
    public func answer(_ request: ZAPRequest, admitAs name: String?) throws(ZeroMQError) {
        try reply(name == nil ? "400" : "200", request.id, name ?? "")
    }

    private func reply(_ status: String, _ id: [UInt8], _ name: String) throws(ZeroMQError) {
        let frames = [Array("1.0".utf8), id, Array(status.utf8), [], Array(name.utf8), []]
        for (index, frame) in frames.enumerated() {
            _ = try socket.send(frame, more: index < frames.count - 1)
        }
    }
}

extension ZAPRequest {
    /// Version, id, domain, address, routing id, mechanism and credentials.
    fileprivate init?(_ frames: [[UInt8]]) {
        guard frames.count >= 6, frames[0] == Array("1.0".utf8) else { return nil }
        id = frames[1]
        domain = String(decoding: frames[2], as: UTF8.self)
        address = String(decoding: frames[3], as: UTF8.self)
        let isCurve = frames[5] == Array("CURVE".utf8) && frames.count == 7 && frames[6].count == 32
        publicKey = isCurve ? CurveKeyPair.text(ofKey: frames[6]) : nil
    }
}

extension Poller {
    /// Adds a handler's requests.
    public mutating func add(_ handler: borrowing ZAPHandler) -> Item {
        add(handler.socket, for: .readable)
    }
}
