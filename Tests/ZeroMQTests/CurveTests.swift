import Testing
import ZeroMQ

@Suite(.enabled(if: ZeroMQLibrary.hasCurve, "this libzmq was built without CURVE")) struct CurveTests {
    @Test func aKeyPairKeepsItsSecret() throws {
        let keys = try CurveKeyPair.generate()
        #expect(keys.publicKey.utf8.count == 40)
        #expect(keys.secretKey.utf8.count == 40)
        #expect(keys != (try CurveKeyPair.generate()))
        #expect(try CurveKeyPair(secretKey: keys.secretKey) == keys)

        var dumped = ""
        dump(keys, to: &dumped)
        for shown in ["\(keys)", String(reflecting: keys), dumped, "\([keys])", "\(Optional(keys) as Any)"] {
            #expect(!shown.contains(keys.secretKey))
            #expect(shown.contains(keys.publicKey))
        }
    }

    @Test(arguments: ["", "short", String(repeating: "\u{7F}", count: 40), String(repeating: "x", count: 41)])
    func aBadKeyIsRefusedAndNotShown(key: String) throws {
        let error = #expect(throws: ZeroMQError.self) { _ = try CurveKeyPair(secretKey: key) }
        #expect(error?.code == .invalidArgument)
        let socket = try Context().socket(.dealer)
        let refused = try #require(throws: ZeroMQError.self) {
            try socket.useCurve(asClientWith: try .generate(), serverKey: key)
        }
        #expect(key.isEmpty || !refused.description.contains(key))
    }

    @Test func anAdmittedClientIsNamedByItsKey() throws {
        let context = Context()
        let (server, client) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
        let doorkeeper = try Doorkeeper(in: context) { $0 == client.publicKey ? "alice" : nil }
        var talk = try Conversation.begin(
            in: context,
            router: {
                try $0.set(.zapDomain, to: "fleet")
                try $0.useCurve(asServerWith: server)
            },
            dealer: { try $0.useCurve(asClientWith: client, serverKey: server.publicKey) })
        #expect(talk.message.property("User-Id") == "alice")
        #expect(try talk.router.send(to: talk.peer, bytes("secret")) == .sent)
        #expect(try talk.dealerHears() == .message)
        #expect(talk.message.array == bytes("secret"))
        doorkeeper.leave()
    }

    @Test func aStrangerIsRefused() throws {
        let context = Context()
        let server = try CurveKeyPair.generate()
        let doorkeeper = try Doorkeeper(in: context) { _ in nil }
        let router = try context.socket(.router)
        try router.set(.zapDomain, to: "fleet")
        try router.useCurve(asServerWith: server)
        let monitor = try router.monitor()
        try router.bind("tcp://127.0.0.1:*")
        let stranger = try context.socket(.dealer)
        try stranger.useCurve(asClientWith: try .generate(), serverKey: server.publicKey)
        try stranger.connect(try router.lastEndpoint)
        let failure = try monitor.first { $0 == .handshakeFailed(.authentication) }
        #expect(failure?.value == 400)
        doorkeeper.leave()
    }

    @Test func aClientWithTheWrongServerKeyIsNotAdmitted() throws {
        let context = Context()
        let router = try context.socket(.router)
        try router.useCurve(asServerWith: try .generate())
        let monitor = try router.monitor()
        try router.bind("tcp://127.0.0.1:*")
        let lost = try context.socket(.dealer)
        try lost.useCurve(asClientWith: try .generate(), serverKey: try CurveKeyPair.generate().publicKey)
        try lost.connect(try router.lastEndpoint)
        let failure = try monitor.first { $0 == .handshakeFailed(.protocolError) }
        #expect(failure != nil)
    }
}

/// A ZAP handler on a thread of its own, which knows clients by their public keys.
private final class Doorkeeper: Sendable {
    private let thread = SocketThread(name: "doorkeeper")
    private let leaving = WakeUp()

    init(in context: Context, name: @escaping @Sendable (_ publicKey: String) -> String?) throws {
        let isReady = WakeUp()
        let leaving = leaving
        thread.start { _ in
            _ = #expect(throws: Never.self) { try Self.keep(context, isReady, leaving, name) }
        }
        var poller = Poller()
        _ = poller.add(isReady)
        try poller.wait(timeout: .seconds(20))
    }

    func leave() {
        leaving.signal()
        thread.join()
    }

    private static func keep(
        _ context: Context, _ isReady: WakeUp, _ leaving: WakeUp, _ name: (String) -> String?
    ) throws {
        let socket = try context.socket(.reply)
        try socket.bind("inproc://zeromq.zap.01")
        isReady.signal()
        var poller = Poller()
        let asked = poller.add(socket)
        let over = poller.add(leaving)
        while !poller.isReadable(over) {
            try poller.wait(timeout: nil)
            if poller.isReadable(asked) { try answer(socket, name) }
        }
    }

    /// RFC 27: version, request id, domain, address, identity, mechanism and the client's key come in.
    private static func answer(_ socket: borrowing Socket, _ name: (String) -> String?) throws {
        var frames: [[UInt8]] = []
        var message = Message()
        repeat {
            guard try socket.receive(into: &message) else { return }
            frames.append(message.array)
        } while message.more
        let known = name(try Z85.encode(frames[6]))
        let answer = [bytes("1.0"), frames[1], bytes(known == nil ? "400" : "200"), [], bytes(known ?? ""), []]
        for (index, frame) in answer.enumerated() { _ = try socket.send(frame, more: index < answer.count - 1) }
    }
}

/// ZeroMQ's RFC 32, as far as a key needs it.
private enum Z85 {
    static func encode(_ bytes: [UInt8]) throws -> String {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)
        try #require(bytes.count.isMultiple(of: 4))
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 4) {
            var value = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            var group: [UInt8] = []
            for _ in 0..<5 {
                group.insert(digits[value % 85], at: 0)
                value /= 85
            }
            text += group
        }
        return String(decoding: text, as: UTF8.self)
    }
}
