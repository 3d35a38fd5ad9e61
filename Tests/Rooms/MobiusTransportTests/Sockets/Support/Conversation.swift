import FleetTestSupport
import MobiusTransport

/// A router and a dealer of one context that have already heard of each other.
struct Conversation: ~Copyable {
    let context: Context
    let router: Socket
    let dealer: Socket
    /// Who sent the router its last message: the dealer, unless the test connects others.
    private(set) var peer = PeerID()
    /// The last message that either side heard.
    private(set) var message = Message()

    /// Joins the two.
    static func begin(
        in context: Context = Context(), endpoint: String = "tcp://127.0.0.1:*",
        router prepareRouter: (borrowing Socket) throws -> Void = { _ in },
        dealer prepareDealer: (borrowing Socket) throws -> Void = { _ in }
    ) throws -> Conversation {
        let router = try context.socket(.router)
        let dealer = try context.socket(.dealer)
        try router.set(.routerMandatory, to: true)
        try dealer.set(.immediate, to: true)
        try prepareRouter(router)
        try prepareDealer(dealer)
        try router.bind(endpoint)
        try dealer.connect(try router.lastEndpoint)
        try waitUntilWritable(dealer)
        _ = try dealer.send(bytes("hello"))
        var talk = Conversation(context: context, router: router, dealer: dealer)
        _ = try talk.routerHears()
        return talk
    }

    private init(context: Context, router: consuming Socket, dealer: consuming Socket) {
        self.context = context
        self.router = router
        self.dealer = dealer
    }

    /// The router's next message, waiting for it; `.nothing` when none comes in time.
    mutating func routerHears(within limit: Duration = Patience.limit) throws -> ReceiveResult {
        let deadline = ContinuousClock.now + limit
        while true {
            let result = try router.receive(from: &peer, into: &message)
            if result != .nothing || ContinuousClock.now >= deadline { return result }
            try waitUntilReadable(router, until: deadline)
        }
    }

    /// The dealer's next message of one frame, waiting for it; `.nothing` when none comes in time.
    mutating func dealerHears(within limit: Duration = Patience.limit) throws -> ReceiveResult {
        let deadline = ContinuousClock.now + limit
        while true {
            let result = try dealer.receiveWhole(into: &message)
            if result != .nothing || ContinuousClock.now >= deadline { return result }
            try waitUntilReadable(dealer, until: deadline)
        }
    }
}

/// The text's bytes.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Waits until the socket has something to receive, or until the deadline.
func waitUntilReadable(
    _ socket: borrowing Socket, until deadline: ContinuousClock.Instant = .now + Patience.limit
) throws {
    var poller = Poller()
    _ = poller.add(socket)
    try poller.wait(timeout: deadline - .now)
}

/// Waits until somebody asks the handler.
func waitUntilReadable(_ handler: borrowing ZAPHandler) throws {
    var poller = Poller()
    _ = poller.add(handler)
    try poller.wait(timeout: Patience.limit)
}

/// Waits until the socket has a connection with room, or until the deadline.
func waitUntilWritable(
    _ socket: borrowing Socket, until deadline: ContinuousClock.Instant = .now + Patience.limit
) throws {
    var poller = Poller()
    _ = poller.add(socket, for: .writable)
    try poller.wait(timeout: deadline - .now)
}

extension SocketMonitor {
    /// The first event of a kind that passes, skipping others; `nil` when none comes in time.
    func first(
        within limit: Duration = Patience.limit, where passes: (MonitorEvent.Kind) -> Bool
    ) throws -> MonitorEvent? {
        let deadline = ContinuousClock.now + limit
        var poller = Poller()
        _ = poller.add(self)
        while true {
            while let event = try next() {
                if passes(event.kind) { return event }
            }
            if try poller.wait(timeout: deadline - .now) == 0, .now >= deadline { return nil }
        }
    }
}
