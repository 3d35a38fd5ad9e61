import MobiusCodec
public import MobiusCore
public import MobiusEngine
import MobiusWire
import Synchronization

extension _PartialEffectRouter {
    /// Routes effects to loops of programs, each effect as an event for one loop: see ``toLoop(_:onFailure:)``.
    ///
    /// - Parameters:
    ///   - event: The address of the loop, and an event of its program. It must be pure. An address that names no loop is a program
    ///     error, which holds the sending loop.
    ///   - onFailure: The event of the sending loop when the other one has ended or cannot begin; `nil` for none: then the
    ///     effect just ends, and the coordinator logs that. It must be pure.
    public func toLoop<Other: FleetProgram>(
        _ event: @escaping @Sendable (EffectParameters) -> (loop: Address<Other>, event: Other.Event),
        onFailure: (@Sendable (EffectParameters, EffectFailure) -> Event)? = nil
    ) -> EffectRouter<Effect, Event> {
        toRemote { parameters in
            let (address, event) = event(parameters)
            return AddressedRoute(EffectPlan.policy(to: address.name) { .loop($0) }, address, event)
        } answer: { parameters, news in
            EffectFailure(news).flatMap { onFailure?(parameters, $0) }
        }
    }
}

extension EffectAction {
    /// Sends an event to a loop of a program, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/toLoop(_:onFailure:)``.
    ///
    /// - Parameters:
    ///   - address: The loop.
    ///   - event: An event of its program; it must be pure.
    ///   - onFailure: The event of the sending loop when the other one has ended or cannot begin; `nil` for none.
    public static func toLoop<Other: FleetProgram>(
        _ address: Address<Other>, event: @autoclosure @escaping @Sendable () -> Other.Event,
        onFailure: (@Sendable (EffectFailure) -> Event)? = nil
    ) -> EffectAction {
        toRemote(policy: AddressedRoute(EffectPlan.policy(to: address.name) { .loop($0) }, address, event())) { news in
            EffectFailure(news).flatMap { onFailure?($0) }
        }
    }
}

/// The policy of a route to a loop of another program, whose event is of a type of its own.
struct AddressedRoute: Sendable {
    let plan: any Sendable
    let payload: Result<Payload, CodingFailure>

    init<Other: FleetProgram>(_ plan: any Sendable, _ address: Address<Other>, _ event: Other.Event) {
        self.plan = plan
        payload = Result { () throws(CodingFailure) in try EventCodecs.codec(of: Other.self).encode(event) }
    }
}

/// The codings of the events of other programs: making one takes longer than its use.
private enum EventCodecs {
    private static let known = Mutex<[ObjectIdentifier: any Sendable]>([:])

    static func codec<Other: FleetProgram>(of program: Other.Type) -> TypedCodec<Other.Event> {
        known.withLock { known in
            if let codec = known[ObjectIdentifier(program)] as? TypedCodec<Other.Event> { return codec }
            let codec = TypedCodec<Other.Event>(ProgramCodec<Other>.chosen.contentType)
            known[ObjectIdentifier(program)] = codec
            return codec
        }
    }
}
