import FleetTestSupport
public import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs: after five minutes, or later where the machine is slow (`Patience`).
    public static var patient: Self { patience(minutes: 5) }

    /// Ends a test that hangs: after as many minutes, or later where the machine is slow (`Patience`).
    public static func patience(minutes: Int) -> Self {
        .timeLimit(.minutes(Int((Double(minutes) * Patience.factor).rounded(.up))))
    }
}
