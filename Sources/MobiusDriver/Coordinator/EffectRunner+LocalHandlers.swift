import MobiusRuntime

extension EffectRunner: LocalHandlers {}
