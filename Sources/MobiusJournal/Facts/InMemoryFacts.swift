import MobiusWire

/// The facts of an ``InMemoryStore``.
struct InMemoryFacts {
    /// By their names, of each loop that has some.
    var loops: [LoopID: [String: [UInt8]]] = [:]
    var progress = FactProgress.upTo(nil)

    mutating func apply(_ change: FactChange) {
        var facts = change.replaces ? [:] : loops[change.loop] ?? [:]
        for name in change.removed { facts[name] = nil }
        for fact in change.set { facts[fact.name] = fact.key }
        loops[change.loop] = facts.isEmpty ? nil : facts
    }

    func entries(_ fact: String, in range: FactRange) -> [FactEntry] {
        loops.compactMap { loop, facts in
            guard let key = facts[fact], range.contains(key) else { return nil }
            return FactEntry(loop: loop, key: key, facts: facts)
        }
    }
}
