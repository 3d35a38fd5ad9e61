import Foundation
import MobiusLauncher
import MobiusProcess

/// What a comparison of builds found, for people and for scripts.
struct CompareReport {
    /// The number of groups whose models are shown.
    static let shown = 20

    private let comparison: BuildComparison
    private let new: String
    private let old: String?
    /// The difference of the models of the first loop of each group.
    var differences: [BuildComparison.Parting: [String]] = [:]

    init(_ comparison: BuildComparison, new: String, old: String?) {
        (self.comparison, self.new, self.old) = (comparison, new, old)
    }

    /// Lines for a terminal.
    var text: String {
        var lines: [String] = []
        for group in comparison.groups {
            lines.append("\(head(of: group)): \(Self.words(group))")
            lines.append("    first \(place(of: group))")
            lines += (differences[group.parting] ?? []).map { "    \($0)" }
        }
        return (lines + notes + [figures]).map(TerminalText.line).joined(separator: "\n")
    }

    /// A table for a comment.
    var markdown: String {
        guard !comparison.groups.isEmpty else { return ([figures] + notes).joined(separator: "\n\n") }
        var lines = ["| Loops | Event | Difference | First |", "| --- | --- | --- | --- |"]
        for group in comparison.groups {
            let difference = [Self.words(group)] + (differences[group.parting] ?? [])
            let cells = [[group.parting.event], difference, [place(of: group)]]
            let row = ["\(group.loops)"] + cells.map { $0.map(Self.code).joined(separator: "<br>") }
            lines.append("| " + row.joined(separator: " | ") + " |")
        }
        return ([figures, lines.joined(separator: "\n")] + notes).joined(separator: "\n\n")
    }

    /// One object: the figures, and the groups with the difference of each.
    func json() throws -> String {
        struct Entry: Encodable {
            let group: BuildComparison.Group
            let difference: [String]?

            func encode(to encoder: any Encoder) throws {
                try group.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeIfPresent(difference, forKey: .difference)
            }

            enum Key: CodingKey { case difference }
        }
        struct Report: Encodable {
            let loops, events, parted, uncompared, unmatched: Int
            let reason: String?
            let newFields, goneFields: [String: [String]]
            let groups: [Entry]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let report = Report(
            loops: comparison.loops, events: comparison.events, parted: comparison.parted,
            uncompared: comparison.uncompared, unmatched: comparison.unmatched, reason: comparison.reason,
            newFields: comparison.newFields.filter { !$0.value.isEmpty }.mapValues { $0.sorted() },
            goneFields: comparison.goneFields.filter { !$0.value.isEmpty }.mapValues { $0.sorted() },
            groups: comparison.groups.map { Entry(group: $0, difference: differences[$0.parting]) })
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    private var figures: String {
        let compared = "\(Self.count(comparison.events, "event")) of \(Self.count(comparison.loops, "loop"))"
        let other = old.map { "\(new) and \($0)" } ?? "\(new) and the journal"
        if comparison.isEqual { return "\(other) do the same: \(compared) compared" }
        let parted = Self.count(comparison.parted, "loop")
        return comparison.parted == 0
            ? "\(other) do the same as far as was compared: \(compared)"
            : "\(other) part in \(parted): \(compared) compared"
    }

    private var notes: [String] {
        func notes(_ fields: [String: Set<String>], _ words: String) -> [String] {
            fields.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { kind, names in
                let models = kind.isEmpty ? "the model" : "the model of \(kind)/"
                return "\(words) \(models) has: \(names.sorted().joined(separator: ", "))"
            }
        }
        let count = comparison.uncompared
        let uncompared =
            comparison.reason.map { ["\(Self.count(count, "loop")) not compared to the end, the first because: \($0)"] }
            ?? []
        let unmatched = Self.count(comparison.unmatched, "loop")
        return notes(comparison.newFields, "fields that at the start only the new build's form of")
            + notes(comparison.goneFields, "fields that at the start only the old build's form of")
            + uncompared + (comparison.unmatched == 0 ? [] : ["\(unmatched) in one replay only"])
            + (comparison.isCut ? ["the loops behind the one that ended the new build were not compared"] : [])
    }

    private func head(of group: BuildComparison.Group) -> String {
        let kind = group.parting.kind.isEmpty ? "" : " of \(group.parting.kind)/"
        let event = group.parting.event.isEmpty ? "" : " at \(group.parting.event)"
        return "\(Self.count(group.loops, "loop"))\(kind) \(group.loops == 1 ? "parts" : "part")\(event)"
    }

    private func place(of group: BuildComparison.Group) -> String {
        group.first + (group.sequence.map { ", event \($0)" } ?? "")
    }

    private static func words(_ group: BuildComparison.Group) -> String {
        let parting = group.parting
        if let failure = group.reason ?? parting.failure { return failure }
        var clauses: [String] = []
        func add(_ words: String, _ names: [String]) {
            if !names.isEmpty {
                clauses.append(words + names.map { $0.isEmpty ? "the model" : $0 }.joined(separator: ", "))
            }
        }
        add("other model: ", parting.fields)
        add("new effects: ", parting.newEffects)
        add("effects that are gone: ", parting.goneEffects)
        add("other effects: ", parting.changedEffects)
        return clauses.joined(separator: "; ")
    }

    /// Text that means nothing in Markdown, whatever is in it.
    private static func code(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        let entities = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "`": "&#96;", "*": "&#42;", "_": "&#95;",
        ]
        let words = TerminalText.line(text).map { entities[String($0)] ?? String($0) }.joined()
        return "<code>\(words)</code>"
    }

    private static func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }
}
