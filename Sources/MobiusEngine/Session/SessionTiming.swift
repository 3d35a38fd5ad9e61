/// The times of sessions.
///
/// The defaults are documented guarantees; tests set shorter ones.
public struct SessionTiming: Equatable, Sendable {
    /// The interval of signs of life of each side: 1 s.
    public var heartbeat: Duration
    /// The silence after which a worker gets no new effects: 3 s.
    public var suspectAfter: Duration
    /// The silence after which a worker counts as lost and its effects go to others: 10 s.
    public var deadAfter: Duration
    /// The time that a worker whose connection was lost may take to reconnect: 3 s.
    public var reconnectGrace: Duration
    /// The time that a coordinator waits after its start for workers that still hold effects of its journal: 2 s.
    public var adoptionGrace: Duration
    /// The silence of the coordinator after which a worker reconnects: 5 s.
    public var silence: Duration
    /// The time without an ACK after which a worker sends its reports again: 2 s.
    public var resend: Duration

    /// Makes the times of a session; the defaults are the documented ones.
    public init(
        heartbeat: Duration = .seconds(1), suspectAfter: Duration = .seconds(3), deadAfter: Duration = .seconds(10),
        reconnectGrace: Duration = .seconds(3), adoptionGrace: Duration = .seconds(2), silence: Duration = .seconds(5),
        resend: Duration = .seconds(2)
    ) {
        self.heartbeat = heartbeat
        self.suspectAfter = suspectAfter
        self.deadAfter = deadAfter
        self.reconnectGrace = reconnectGrace
        self.adoptionGrace = adoptionGrace
        self.silence = silence
        self.resend = resend
    }
}

extension SessionTiming {
    /// The times of a coordinator that others may take over from, when its lease has these times; the defaults fit one of 4 s.
    package func following(_ lease: LeaseTiming) -> SessionTiming {
        var timing = self
        // Three signs of life fit into the time for which a lease is trusted.
        timing.heartbeat = min(heartbeat, lease.trust / 3)
        timing.silence = min(silence, lease.trust)
        // A worker takes a second to go on from an endpoint that does not answer.
        timing.adoptionGrace = min(adoptionGrace, max(.seconds(1), lease.lease / 2))
        return timing
    }
}
