/// What an operator does to a pending effect.
public enum EffectAct: Hashable, Sendable {
    /// It ends without an event; its worker is told.
    case cancel
    /// It fails for good, with the operator's reason: its route makes an event of that, and it may become a dead letter.
    case fail
    /// It ends with this event, in JSON, as if its handler had sent it.
    case complete(event: [UInt8])
    /// A timer fires now; with a time only if it is due then.
    case fire(due: WallTime?)

    /// The name on the wire and on screens.
    public var name: String {
        switch self {
        case .cancel: "cancel"
        case .fail: "fail"
        case .complete: "complete"
        case .fire: "fire"
        }
    }
}
