/// How long both sides wait for each other.
///
/// The defaults are the product's promises; tests set shorter ones.
public struct SessionTiming: Equatable, Sendable {
    /// How often each side says that it lives: 1 s.
    public var heartbeat: Duration
    /// After how much silence a worker gets no new effects: 3 s.
    public var suspectAfter: Duration
    /// After how much silence a worker counts as dead and its effects go to others: 10 s.
    public var deadAfter: Duration
    /// How long a worker whose connection is seen to be gone may take to come back: 3 s.
    public var reconnectGrace: Duration
    /// How long after its start a coordinator waits for workers that still hold effects of its journal: 2 s.
    public var adoptionGrace: Duration
    /// After how much silence of the coordinator a worker connects anew: 5 s.
    public var silence: Duration
    /// After how long without an ACK a worker sends its reports again: 2 s.
    public var resend: Duration

    /// Makes the timing of a session; every default is the product's own.
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
