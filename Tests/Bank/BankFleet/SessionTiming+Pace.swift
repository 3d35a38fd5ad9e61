public import MobiusEngine

extension SessionTiming {
    /// The product's timing, so many times as fast.
    public static func paced(_ pace: Int) -> SessionTiming {
        let usual = SessionTiming()
        return SessionTiming(
            heartbeat: usual.heartbeat / pace, suspectAfter: usual.suspectAfter / pace,
            deadAfter: usual.deadAfter / pace, reconnectGrace: usual.reconnectGrace / pace,
            adoptionGrace: usual.adoptionGrace / pace, silence: usual.silence / pace, resend: usual.resend / pace)
    }
}
