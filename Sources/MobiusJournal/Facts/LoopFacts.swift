public import MobiusWire

/// A fact of a loop in a journal: its name and its value.
public struct StoredFact: Hashable, Sendable {
    /// The program's name for it, with the kind of its loops before a slash where a coordinator has several programs.
    public let name: String
    /// The value as bytes, whose order is the order of the values.
    public let key: [UInt8]

    /// Names a fact.
    public init(name: String, key: [UInt8]) {
        (self.name, self.key) = (name, key)
    }
}

/// The facts of a loop that change with a commit.
public struct FactChange: Hashable, Sendable {
    /// The loop.
    public let loop: LoopID
    /// Whether it has no other facts afterwards; otherwise those that are not named stay.
    public let replaces: Bool
    /// The facts that it has afterwards.
    public let set: [StoredFact]
    /// The names of facts that it has no longer.
    public let removed: [String]

    /// Replaces all facts of a loop.
    public init(_ loop: LoopID, replacedBy facts: [StoredFact]) {
        (self.loop, replaces, set, removed) = (loop, true, facts, [])
    }

    /// Describes the difference between two lists, each ordered by name; `nil` when there is none.
    public init?(_ loop: LoopID, from old: [StoredFact], to new: [StoredFact]) {
        guard old != new else { return nil }
        let known = Dictionary(old.map { ($0.name, $0.key) }) { $1 }
        let names = Set(new.map(\.name))
        (self.loop, replaces) = (loop, false)
        set = new.filter { known[$0.name] != $0.key }
        removed = old.map(\.name).filter { !names.contains($0) }
    }
}

/// The facts of a loop that were computed from its records, after an event.
public struct RebuiltFacts: Hashable, Sendable {
    /// The loop.
    public let loop: LoopID
    /// The number of its last event then.
    public let sequence: UInt64
    /// All its facts.
    public let facts: [StoredFact]

    /// Describes the facts of a loop.
    public init(loop: LoopID, sequence: UInt64, facts: [StoredFact]) {
        (self.loop, self.sequence, self.facts) = (loop, sequence, facts)
    }
}

/// A part of all loops, whose facts are computed anew at once: those behind a loop, by the bytes of their names, up to where the
/// progress is.
public struct FactStep: Hashable, Sendable {
    /// The loop behind which it begins; `nil` for the first.
    public let after: LoopID?
    /// The progress at its end.
    public let progress: FactProgress

    /// Describes a part.
    public init(after: LoopID?, to progress: FactProgress) {
        (self.after, self.progress) = (after, progress)
    }

    /// Whether a loop of this name is in it.
    func contains(_ loop: LoopID) -> Bool {
        guard after?.precedes(loop) ?? true else { return false }
        return switch progress {
        case .complete: true
        case .upTo(let last): !(last?.precedes(loop) ?? true)
        }
    }
}

/// The loops whose facts this build of the program has written.
public enum FactProgress: Hashable, Sendable {
    /// All loops up to this one, by the bytes of their names, and each that had an event since; `nil` before the first.
    case upTo(LoopID?)
    /// All loops.
    case complete
}
