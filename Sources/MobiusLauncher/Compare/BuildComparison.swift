import Foundation
import MobiusProcess

/// A line of `--replay-all --digests`: an event of a loop, and what it led to in one build.
///
/// The last line ends the replay.
package struct ReplayLine: Codable, Equatable, Sendable {
    /// The loop's name.
    package var loop: String
    /// The event's number; `nil` in a line with an error.
    package var sequence: UInt64?
    /// The name of the event's case, `start` or `snapshot`; empty when it has none.
    package var event: String?
    /// The fields of the model that have changed, each with its digest behind a space.
    package var changed: [String]?
    /// The fields of the model that are gone.
    package var gone: [String]?
    /// The effects that `update` returned, each a name and a digest.
    package var effects: [String]?
    /// The effects that are in the journal, if those are others.
    package var recorded: [String]?
    /// Why the loop cannot be replayed further.
    package var error: String?
    /// Whether it is the last line, which has no loop: without it, the replay was cut off.
    package var end: Bool?
}

/// Finds the first event of each loop at which two builds part, from their replays of the same journal.
///
/// The old build's place may be taken by the journal, which has the effects, but not the models. Both replays have their loops in the order
/// of the bytes of their names.
package struct BuildComparison: Sendable {
    /// In what two builds part at an event; equal for all loops that do so in the same way.
    package struct Parting: Hashable, Codable, Sendable {
        /// The kind of the loop, such as `order`; empty for one whose name has none.
        package var kind: String
        /// The name of the event's case.
        package var event: String
        /// The fields of the model that differ.
        package var fields: [String] = []
        /// The effects that only the new build asks for.
        package var newEffects: [String] = []
        /// Those that it does not ask for any more.
        package var goneEffects: [String] = []
        /// Those that it asks for with other contents, or in another order.
        package var changedEffects: [String] = []
        /// Why the new build cannot go on, without names and numbers.
        package var failure: String?
    }

    /// The loops that part in one way.
    package struct Group: Equatable, Codable, Sendable {
        /// The way.
        package let parting: Parting
        /// How many loops there are.
        package fileprivate(set) var loops: Int
        /// The first of them.
        package let first: String
        /// The event at which that parts; `nil` when it cannot be read.
        package let sequence: UInt64?
        /// Why it cannot go on.
        package let reason: String?
    }

    /// Which of the two replays goes on.
    package enum Advance: Sendable { case both, new, old }

    /// The groups, in the order in which they were found.
    package private(set) var groups: [Group] = []
    /// The number of loops that were compared.
    package private(set) var loops = 0
    /// The number of events that were compared.
    package private(set) var events = 0
    /// The fields that models of a kind have in one build only: no difference of what `update` does.
    package private(set) var newFields: [String: Set<String>] = [:]
    /// The same for fields that only the old build has.
    package private(set) var goneFields: [String: Set<String>] = [:]

    /// The number of loops that could not be compared to their ends, because the old build cannot replay them, or the journal was cut.
    package private(set) var uncompared = 0
    /// Why the first of them could not.
    package private(set) var reason: String?
    /// The number of loops that only one replay has: they began or were removed between the starts of the replays.
    package private(set) var unmatched = 0
    /// Whether the new build ended in the middle, so that the loops behind were not compared.
    package private(set) var isCut = false
    /// Whether both replays went to their ends.
    package private(set) var isComplete = false

    private var places: [Parting: Int] = [:]
    private var loop: String?
    /// The newest loop that only one replay has.
    private var lonely: String?
    /// The bytes with which its lines begin.
    private var start: [UInt8] = []
    private var hasParted = false

    /// Makes a comparison that has seen nothing.
    package init() {}

    /// Whether both builds do the same in all that both replays have.
    package var isEqual: Bool { groups.isEmpty && uncompared == 0 }

    /// The number of loops that part.
    package var parted: Int { groups.reduce(0) { $0 + $1.loops } }

    /// Compares the next lines of both replays, and says which goes on.
    ///
    /// One of them may have events that the other has not: the journal was in use between their starts. Equal lines are not read, but
    /// for the first of each loop.
    ///
    /// - Throws: `DecodingError` for what is no line of a replay.
    package mutating func compare(_ new: ArraySlice<UInt8>, _ old: ArraySlice<UInt8>) throws -> Advance {
        guard new == old, !start.isEmpty, new.starts(with: start) else {
            return compare(try Self.read(new), try Self.read(old))
        }
        events += 1
        return .both
    }

    /// Reads a line for nothing but its form.
    ///
    /// - Throws: `DecodingError` for what is no line of a replay.
    package static func check(_ line: ArraySlice<UInt8>) throws { _ = try read(line) }

    /// Compares a line with the journal's own effects.
    ///
    /// - Throws: `DecodingError` for what is no line of a replay.
    package mutating func compare(_ new: ArraySlice<UInt8>) throws { compare(try Self.read(new)) }

    private static func read(_ line: ArraySlice<UInt8>) throws -> ReplayLine {
        try JSONDecoder().decode(ReplayLine.self, from: Data(line))
    }

    mutating func compare(_ new: ReplayLine, _ old: ReplayLine) -> Advance {
        if new.end == true || old.end == true {
            isComplete = new.end == old.end
            if !isComplete { leave(new.end == true ? old : new) }
            return isComplete ? .both : new.end == true ? .old : .new
        }
        guard new.loop == old.loop else {
            let isAhead = new.loop.utf8.lexicographicallyPrecedes(old.loop.utf8)
            leave(isAhead ? new : old)
            return isAhead ? .new : .old
        }
        if new.loop != loop { begin(new.loop) }
        guard new.error == nil, old.error == nil else {
            if let error = new.error, old.error == nil, !hasParted { part(new, failure: error) }
            if let error = old.error { give(up: error) }
            return .both
        }
        if let one = new.sequence, let other = old.sequence, one != other { return one < other ? .new : .old }
        events += 1
        guard !hasParted else { return .both }
        // Each starts with the oldest snapshot that the journal keeps, which moves.
        if (new.event == "snapshot") != (old.event == "snapshot") {
            give(up: "The journal of loop \(new.loop) was cut between the starts of the replays.")
        } else {
            judge(new, old)
        }
        return .both
    }

    mutating func compare(_ new: ReplayLine) {
        guard new.end != true else { return isComplete = true }
        if new.loop != loop { begin(new.loop) }
        if let error = new.error { return part(new, failure: error) }
        events += 1
        guard !hasParted, let recorded = new.recorded else { return }
        judge(new, effects: recorded, fields: [])
    }

    /// The new build ended before the line that the old one has next, or in the middle of a loop.
    package mutating func ended(because reason: String, before next: ArraySlice<UInt8>?) {
        isCut = true
        var line = ReplayLine(loop: loop ?? "", event: "")
        if let next, let read = try? Self.read(next), read.end != true { line = read }
        if line.loop != loop { begin(line.loop) }
        guard !hasParted else { return give(up: reason) }
        part(line, failure: reason)
    }

    /// A line that the other replay does not have: of a loop that goes on, or of one more.
    private mutating func leave(_ line: ReplayLine) {
        guard line.loop != loop, line.loop != lonely else { return }
        lonely = line.loop
        unmatched += 1
    }

    /// The loop cannot be compared further.
    private mutating func give(up why: String) {
        guard !hasParted else { return }
        hasParted = true
        uncompared += 1
        reason = reason ?? why
    }

    private mutating func begin(_ name: String) {
        loop = name
        loops += 1
        var line = JSONLine()
        line.set("loop", name)
        start = Array(line.text.utf8.dropLast()) + [UInt8(ascii: ",")]
        hasParted = false
    }

    private mutating func judge(_ new: ReplayLine, _ old: ReplayLine) {
        let (ours, theirs) = (Self.fields(new.changed), Self.fields(old.changed))
        let kind = Self.kind(of: new.loop)
        var fields = Set(ours.keys).union(theirs.keys).filter { ours[$0] != theirs[$0] }
        fields.formUnion(Set(new.gone ?? []).symmetricDifference(old.gone ?? []))
        // What the other build has, too, is no field of one form only.
        newFields[kind]?.subtract(theirs.keys)
        goneFields[kind]?.subtract(ours.keys)
        if new.event == "start" || new.event == "snapshot", ours.keys.contains(where: { theirs[$0] != nil }) {
            // A name with a dot is of a case of an enum, which both forms may have.
            let whole = fields.filter { !$0.contains(".") }
            let (added, gone) = (whole.filter { theirs[$0] == nil }, whole.filter { ours[$0] == nil })
            if !added.isEmpty { newFields[kind, default: []].formUnion(added) }
            if !gone.isEmpty { goneFields[kind, default: []].formUnion(gone) }
        }
        fields.subtract(newFields[kind] ?? [])
        fields.subtract(goneFields[kind] ?? [])
        judge(new, effects: old.effects ?? [], fields: fields.sorted())
    }

    private mutating func judge(_ new: ReplayLine, effects old: [String], fields: [String]) {
        let ours = new.effects ?? []
        guard !fields.isEmpty || ours != old else { return }
        var parting = Parting(kind: Self.kind(of: new.loop), event: new.event ?? "", fields: fields)
        if ours != old {
            var (added, gone) = (ours, old)
            for effect in ours {
                guard let place = gone.firstIndex(of: effect) else { continue }
                gone.remove(at: place)
                if let place = added.firstIndex(of: effect) { added.remove(at: place) }
            }
            let (names, others) = (Set(added.map(Self.name)), Set(gone.map(Self.name)))
            let changed = added.isEmpty && gone.isEmpty ? Set(ours.map(Self.name)) : names.intersection(others)
            parting.changedEffects = changed.sorted()
            parting.newEffects = names.subtracting(others).sorted()
            parting.goneEffects = others.subtracting(names).sorted()
        }
        part(new, parting)
    }

    private mutating func part(_ line: ReplayLine, failure: String) {
        // Without names and numbers, which would make each failure another one.
        let named = line.loop.isEmpty ? failure : failure.replacingOccurrences(of: "oop \(line.loop)", with: "oop …")
        let words = named.replacingOccurrences(of: "[0-9]+", with: "N", options: .regularExpression)
        let parting = Parting(kind: Self.kind(of: line.loop), event: line.event ?? "", failure: words)
        part(line, parting, failure)
    }

    private mutating func part(_ line: ReplayLine, _ parting: Parting, _ reason: String? = nil) {
        hasParted = true
        if let place = places[parting] {
            groups[place].loops += 1
        } else {
            places[parting] = groups.count
            groups.append(
                Group(parting: parting, loops: 1, first: line.loop, sequence: line.sequence, reason: reason))
        }
    }

    private static func kind(of loop: String) -> String { loop.firstIndex(of: "/").map { String(loop[..<$0]) } ?? "" }

    private static func name(of words: String) -> String { String(words.prefix { $0 != " " }) }

    private static func fields(_ changed: [String]?) -> [String: Substring] {
        (changed ?? []).reduce(into: [:]) { fields, words in
            guard let space = words.lastIndex(of: " ") else { return }
            fields[String(words[..<space])] = words[space...]
        }
    }
}
