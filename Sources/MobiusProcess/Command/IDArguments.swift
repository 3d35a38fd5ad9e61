public import ArgumentParser
public import MobiusWire

extension EffectID: ExpressibleByArgument {
    /// Reads `loop/sequence/index`.
    public init?(argument: String) {
        self.init(argument)
    }
}

extension LoopID: ExpressibleByArgument {
    /// Reads a name of 1 to 128 bytes.
    public init?(argument: String) {
        self.init(argument)
    }
}
