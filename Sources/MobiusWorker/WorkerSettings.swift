public import MobiusEngine
public import MobiusTransport

/// The settings of a worker.
public struct WorkerSettings: Sendable {
    /// The pools that the worker serves, at least one.
    public var pools: [String]
    /// The coordinator's ZeroMQ endpoint, or a list of endpoints separated by commas.
    ///
    /// The default is `tcp://127.0.0.1:5701`. Name several where coordinators on several hosts share a journal: the `--bind`
    /// endpoint of each. The worker finds the one that runs the loops, and the next one after a take-over; its effects and
    /// reports stay.
    public var connect: String
    /// The key that authenticates the worker, and with which it authenticates the coordinator.
    ///
    /// It is required if the coordinator is on another host. The default is `nil`.
    public var key: PeerKey?
    /// The number of effects that the worker holds and runs at once.
    ///
    /// The default is 16.
    public var concurrency: Int
    /// The number of unacknowledged events at which a handler waits before it sends the next one.
    ///
    /// The default is 1,024.
    ///
    /// An event is acknowledged when it is on the coordinator's disk. At the limit, the sequence of a `toEvents` and
    /// `EffectContext.room()` suspend, and `send` blocks its thread. So the memory of both processes stays bounded,
    /// however fast the handlers and however slow the disk. A cancelled handler never waits: its events beyond the
    /// limit are dropped.
    public var maximumUnacknowledged = 1024
    /// The bytes of unacknowledged events at which a handler waits, not counting the newest event.
    ///
    /// The default is 4 MiB.
    public var maximumUnacknowledgedBytes = 4 << 20
    /// The time that the worker has to finish its effects when it drains.
    ///
    /// The default is 30 s.
    public var drainTimeout: Duration
    /// The build of the worker's program, for operators.
    public var build: String
    /// The process's name, for operators, at most 255 bytes.
    ///
    /// The default is empty.
    public var name = ""
    /// The heartbeats and time-outs until the coordinator's WELCOME sets them.
    public var timing: SessionTiming

    /// The address at which `/livez`, `/readyz` and `/metrics` are served over HTTP, such as `127.0.0.1:9464`.
    ///
    /// With `nil`, the default, they are not served.
    public var http: String?

    /// Creates the settings of a worker.
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

    /// The default endpoint of the coordinator: `tcp://127.0.0.1:5701`.
    public static let defaultEndpoint = "tcp://127.0.0.1:5701"
}

/// The reason why a worker cannot run.
public struct WorkerError: Error, CustomStringConvertible {
    /// The kind of error.
    ///
    /// More codes may be added, so match with a default case.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// An endpoint can never work: that of the coordinator, or the one for HTTP.
        public static let endpoint = Code("endpoint")
        /// The coordinator does not admit the worker, for example because of another protocol version.
        public static let rejected = Code("rejected")
        /// The coordinator does not admit the worker's key, or not for its pools, or the key is for another
        /// coordinator.
        public static let forbidden = Code("forbidden")
        /// The coordinator is on another host, and the worker has no key.
        public static let unprotected = Code("unprotected")
    }

    /// The kind of error.
    public let code: Code
    /// A description of the error, with a remedy if there is one.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
