import FleetTestSupport
public import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs: after five minutes, or later where the machine is slow (`Patience`).
    public static var patient: Self { .timeLimit(.minutes(Int((5 * Patience.factor).rounded(.up)))) }
}
