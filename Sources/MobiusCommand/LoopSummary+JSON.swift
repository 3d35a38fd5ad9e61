package import MobiusWire

extension LoopSummary {
    /// The loop as a JSON object, as `mobius loops --json` and `GET /loops` show it.
    package var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("loop", loop.name)
        line.set("lastSequence", sequence)
        line.set("pendingEffects", pending)
        line.set("state", state.rawValue)
        line.set("lastEvent", time)
        return line
    }
}
