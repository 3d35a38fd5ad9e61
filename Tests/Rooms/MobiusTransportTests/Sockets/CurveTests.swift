import FleetTestSupport
import MobiusTransport
import Testing

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

    @Test func aRequestSaysWhoComesWhere() throws {
        let context = Context()
        let handler = try ZAPHandler(in: context)
        #expect(throws: ZeroMQError.self) { _ = try ZAPHandler(in: context) }
        let (server, client) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
        let router = try context.socket(.router)
        try router.set(.zapDomain, to: "fleet")
        try router.useCurve(asServerWith: server)
        try router.bind("tcp://127.0.0.1:*")
        let dealer = try context.socket(.dealer)
        try dealer.useCurve(asClientWith: client, serverKey: server.publicKey)
        #expect(try handler.next() == nil)
        try dealer.connect(try router.lastEndpoint)
        var poller = Poller()
        _ = poller.add(handler)
        try poller.wait(timeout: Patience.limit)
        let request = try #require(try handler.next())
        #expect((request.domain, request.address, request.publicKey) == ("fleet", "127.0.0.1", client.publicKey))
        try handler.answer(request, admitAs: client.publicKey)
        try waitUntilWritable(dealer)
        poller = Poller()  // before the handler ends
    }

    @Test func whatIsNoRequestIsRefused() throws {
        let context = Context()
        let handler = try ZAPHandler(in: context)
        let stranger = try context.socket(.request)
        try stranger.connect("inproc://zeromq.zap.01")
        for frames in [[[]], [bytes("1.0"), bytes("7")], [bytes("2.0"), bytes("7")] + Array(repeating: [], count: 5)] {
            for (index, frame) in frames.enumerated() {
                #expect(try stranger.send(frame, more: index < frames.count - 1) == .sent)
            }
            try waitUntilReadable(handler)
            #expect(try handler.next() == nil)
            var answer: [[UInt8]] = []
            var message = Message()
            repeat {
                guard try stranger.receive(into: &message) else { break }
                answer.append(message.array)
            } while message.more
            #expect(answer.count == 6)
            #expect(answer[2] == bytes("400"))
        }
    }

    @Test func whatIsAKeyIsKnownByItsLooks() throws {
        #expect(CurveKeyPair.isKey(try CurveKeyPair.generate().publicKey))
        for text in ["", "short", String(repeating: "~", count: 40), String(repeating: "é", count: 20)] {
            #expect(!CurveKeyPair.isKey(text))
        }
    }

    @Test func keysOnOneSideOnlyAreAMismatch() throws {
        for serverHasKeys in [true, false] {
            let context = Context()
            let pair = try CurveKeyPair.generate()
            let router = try context.socket(.router)
            let dealer = try context.socket(.dealer)
            if serverHasKeys {
                try router.useCurve(asServerWith: pair)
            } else {
                try dealer.useCurve(asClientWith: try .generate(), serverKey: pair.publicKey)
            }
            let monitor = try dealer.monitor()
            try router.bind("tcp://127.0.0.1:*")
            try dealer.connect(try router.lastEndpoint)
            let failure = try monitor.first { if case .handshakeFailed = $0 { true } else { false } }
            #expect(failure?.isMechanismMismatch == true, "keys at the server: \(serverHasKeys): \(failure as Any)")
        }
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

    @Test func oneConnectionOfManyIsEnded() throws {
        for endpoint in ["tcp://127.0.0.1:*", "ipc://*"] {
            var talk = try Conversation.begin(endpoint: endpoint)
            let other = try talk.context.socket(.dealer)
            try other.connect(try talk.router.lastEndpoint)
            let monitor = try other.monitor()
            _ = try other.send(bytes("other"))
            #expect(try talk.routerHears() == .message)
            let connection = try #require(talk.message.descriptor.flatMap { SocketConnection($0) })
            connection.end()
            #expect(try monitor.first { $0 == .disconnected } != nil)
            _ = try talk.dealer.send(bytes("I am still here"))
            while talk.message.array != bytes("I am still here") { #expect(try talk.routerHears() == .message) }
            #expect(talk.message.descriptor != connection.descriptor)
        }
    }
}

/// A ZAP handler on a thread of its own, which knows clients by their public keys.
private final class Doorkeeper: Sendable {
    private let thread = SocketThread(name: "doorkeeper")
    private let leaving = WakeUp()

    init(in context: Context, name: @escaping @Sendable (_ publicKey: String) -> String?) throws {
        let isReady = WakeUp()
        let leaving = leaving
        thread.start {
            _ = #expect(throws: Never.self) { try Self.keep(context, isReady, leaving, name) }
        }
        var poller = Poller()
        _ = poller.add(isReady)
        try poller.wait(timeout: Patience.limit)
    }

    func leave() {
        leaving.signal()
        thread.join()
    }

    private static func keep(
        _ context: Context, _ isReady: WakeUp, _ leaving: WakeUp, _ name: (String) -> String?
    ) throws {
        let handler = try ZAPHandler(in: context)
        isReady.signal()
        var poller = Poller()
        _ = poller.add(handler)
        let over = poller.add(leaving)
        while !poller.isReadable(over) {
            try poller.wait(timeout: nil)
            while let request = try handler.next() {
                try handler.answer(request, admitAs: request.publicKey.flatMap(name))
            }
        }
    }
}
