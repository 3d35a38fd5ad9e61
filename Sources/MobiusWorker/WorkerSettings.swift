public import MobiusEngine
public import MobiusKeys

/// How a worker is set up.
public struct WorkerSettings: Sendable {
    /// The pools it serves, at least one.
    public var pools: [String]
    /// The coordinator's ZeroMQ endpoint: `tcp://127.0.0.1:5701`.
    public var connect: String
    /// The key that it proves itself with, and knows the coordinator by; needed for a coordinator on another host.
    public var key: PeerKey?
    /// How many effects it runs at once: 16.
    public var concurrency: Int
    /// How many events of one handler may wait for their acknowledgement before it waits with the next one: 1,024.
    ///
    /// An event is acknowledged when it is on the coordinator's disk. A handler that sends more waits: the sequence of a
    /// `toEvents` and `EffectContext.room()` suspend, `send` blocks its thread. So neither process fills its memory, however
    /// fast handlers are and slow the disk is. One that is cancelled never waits: what it sends beyond this is dropped.
    public var maximumUnacknowledged = 1024
    /// The same for the bytes of its events, the last one's aside: 4 MiB.
    public var maximumUnacknowledgedBytes = 4 << 20
    /// How long it may take to finish what it holds when it is told to stop: 30 s.
    public var drainTimeout: Duration
    /// The build of its program, for operators.
    public var build: String
    /// What whoever started the process calls it, for operators: at most 255 bytes; empty when nobody does.
    public var name = ""
    /// How long both sides wait for each other until WELCOME says so.
    public var timing: SessionTiming

    /// Where `/livez`, `/readyz` and `/metrics` are served over HTTP, such as `127.0.0.1:9464`; `nil`, the default, for
    /// nowhere.
    public var http: String?

    /// Describes a worker.
    public init(
        pools: [String], connect: String = WorkerSettings.defaultEndpoint, concurrency: Int = 16,
        drainTimeout: Duration = .seconds(30), build: String = "", timing: SessionTiming = SessionTiming(),
        key: PeerKey? = nil
    ) {
        self.pools = pools
        self.connect = connect
        self.concurrency = concurrency
        self.drainTimeout = drainTimeout
        self.build = build
        self.timing = timing
        self.key = key
    }

    /// Where workers connect unless they are told otherwise.
    public static let defaultEndpoint = "tcp://127.0.0.1:5701"
}

/// Why a worker cannot go on.
public struct WorkerError: Error, CustomStringConvertible {
    /// What went wrong; more codes may come, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The endpoint can never work.
        public static let endpoint = Code("endpoint")
        /// The coordinator does not admit the worker.
        public static let rejected = Code("rejected")
        /// The coordinator does not admit the worker's key, or not for its pools; or it is not the key's coordinator.
        public static let forbidden = Code("forbidden")
        /// The coordinator is on another host, and there is no key.
        public static let unprotected = Code("unprotected")
    }

    /// What went wrong.
    public let code: Code
    /// One sentence, with what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
