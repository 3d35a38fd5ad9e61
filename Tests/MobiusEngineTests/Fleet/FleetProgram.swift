import MobiusEngine
import MobiusWire

/// A program that is only bytes: an effect is one byte, its flavour; an event is the flavours it asks for.
enum FleetProgram {
    static let loops = [LoopID.main, LoopID("side") ?? .main]
    static let pool = "all"
    /// Served by the first worker only.
    static let rarePool = "rare"
    /// An event that begins with it cannot be read.
    static let unreadable: UInt8 = 0xFF

    private static let effectKind = PayloadKind(type: "Fleet.Effect")
    private static let eventKind = PayloadKind(type: "Fleet.Event")

    /// What today's routes say about an effect; some have a timeout.
    static func plan(_ effect: Payload, timeout: Duration) -> EffectPlan {
        let flavour = effect.bytes.first ?? 0
        let destination: EffectPlan.Destination =
            switch flavour & 7 {
            case 0: .local
            case 1: .pool(rarePool)
            default: .pool(pool)
            }
        return EffectPlan(
            destination: destination,
            policy: EffectPolicy(
                timeouts: EffectTimeouts(startToClose: flavour & 8 == 0 ? nil : timeout),
                retry: RetryPolicy(attempts: Int(flavour >> 5 & 3) + 1)))
    }

    /// Whether the route of an effect makes an event of its failure.
    static func hearsFailure(_ effect: Payload) -> Bool {
        (effect.bytes.first ?? 0) & 16 == 0
    }

    /// What `update` answers.
    static func effects(_ event: Payload, allowed: Int) -> [Payload] {
        event.bytes.prefix(max(0, allowed)).map { Payload(kind: effectKind, bytes: [$0]) }
    }

    /// An event that asks for effects of these flavours.
    static func event(_ flavours: [UInt8]) -> Payload {
        Payload(kind: eventKind, bytes: flavours)
    }

    /// An event as another process might send it.
    static func anyEvent(_ random: inout FleetRandom) -> Payload {
        random.chance(3) ? event([unreadable]) : readableEvent(&random)
    }

    /// An event as a handler of this program sends it.
    static func readableEvent(_ random: inout FleetRandom) -> Payload {
        event((0..<random.number(0...2)).map { _ in UInt8(random.number(0...127)) })
    }
}
