public import MobiusCore
import MobiusEngine

/// The fate of a loop's name after the loop's end.
public enum LoopEnd: Sendable {
    /// A later event under its name is refused, until the journal has forgotten the loop.
    case forGood
    /// A later event under its name begins the loop again, with the model of `initiate`.
    case mayBeginAgain
}

extension _PartialEffectRouter {
    /// Routes effects to the end of their loop.
    ///
    /// When the event that asked for such an effect is on disk, the loop has ended, also after a crash. Its other pending
    /// effects are cancelled, timers included; what those of `.toLoop` are is still delivered, also what the same event asked
    /// for. Reports that were under way are not applied. The last model and the history stay readable for the time that the
    /// coordinator keeps ended loops (`--keep-ended`); then its name is new again. A sender who repeats a key that was applied
    /// before the end is told so.
    ///
    /// - Parameter end: Whether a later event under the loop's name is refused, or begins it again; then its event numbers go
    ///   on, so that ids of effects never repeat.
    public func endsLoop(_ end: LoopEnd = .forGood) -> EffectRouter<Effect, Event> {
        toRemote(fixed: EffectPlan(ending: end)) { _, _ in nil }
    }
}

extension EffectAction {
    /// Ends the loop, in an exhaustive router: see ``MobiusCore/_PartialEffectRouter/endsLoop(_:)``.
    public static func endsLoop(_ end: LoopEnd = .forGood) -> EffectAction {
        toRemote(policy: EffectPlan(ending: end)) { _ in nil }
    }
}

extension EffectPlan {
    fileprivate init(ending end: LoopEnd) {
        switch end {
        case .forGood: self.init(destination: .endLoop(mayBeginAgain: false))
        case .mayBeginAgain: self.init(destination: .endLoop(mayBeginAgain: true))
        }
    }
}
