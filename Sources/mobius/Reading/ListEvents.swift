import ArgumentParser
import Foundation
import MobiusClient
import MobiusCodec
import MobiusLauncher
import MobiusProcess
import MobiusWire

/// The command `mobius events`.
struct ListEvents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Lists the program's events and effects with their fields.",
        discussion: """
            The coordinator reads them from the program's types. With NAME it shows one event or effect, and an event \
            to begin with. A question mark marks what may be left out; fields without a label are _0, _1 and so on. A \
            type that decodes by hand is shown as far as it is known. With --schema it prints a JSON Schema (draft \
            2020-12): of an event as a whole, and of effects and models among its $defs.

            Exit codes: 0; \(ClientOptions.exitCodes)

            Examples:
              mobius events
              mobius events guestArrived
              mobius events order placed         # of a coordinator of several programs
              mobius events --schema > events.schema.json
            """)

    @Argument(help: "Only the program of this kind of loops, and only the event, effect or type of this name.")
    var names: [String] = []

    @Flag(help: "Print the JSON Schema.")
    var schema = false

    @Flag(help: "One JSON object per line instead of tables; with --schema, no line breaks.")
    var json = false

    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard names.count <= 2 else { throw ValidationError("Name a kind of loops and an event at most.") }
    }

    func run() async throws {
        try await options.withClient { client, _ in
            let text = try await client.schema()
            guard let known = SchemaText(text) else {
                throw FleetExit(.unavailable, "The coordinator's answer is no JSON Schema: update this command.")
            }
            var names = names[...]
            let kind = names.first.flatMap { known.kinds.contains($0) ? $0 : nil }
            if kind != nil { names.removeFirst() }
            if schema, let surplus = names.first {
                throw FleetExit(
                    .usage, "--schema prints all events and effects: leave \(TerminalText.line(surplus)) out.")
            }
            // With two names the first is meant to be a kind.
            if names.count > 1, let first = names.first { throw unknown(first, in: known, of: nil) }
            if schema {
                let document = kind.flatMap { known.document(of: $0) } ?? text
                return print(json ? document : Self.indented(document))
            }
            let kinds = kind.map { [$0] } ?? known.kinds.map { Optional($0) }
            var isFound = false
            for kind in kinds.isEmpty ? [nil] : kinds {
                let entries = known.entries(of: kind).filter { names.isEmpty || $0.name == names.first }
                guard !entries.isEmpty else { continue }
                if json {
                    entries.forEach { print($0.jsonLine(of: kind).text) }
                } else {
                    if isFound { print("") }
                    if !known.kinds.isEmpty, let kind { print("PROGRAM \(kind)\n") }
                    if names.isEmpty { Self.list(entries) } else { Self.show(entries) }
                }
                isFound = true
            }
            guard isFound else { throw unknown(names.first, in: known, of: kind) }
        }
    }

    private func unknown(_ name: String?, in known: SchemaText, of kind: String?) -> FleetExit {
        guard let name else { return FleetExit(.negativeAnswer, "The program has no events.") }
        let kinds = kind.map { [$0] } ?? known.kinds.map { Optional($0) }
        let names = (kinds.isEmpty ? [nil] : kinds).flatMap { known.entries(of: $0).map(\.name) }
        let meant = NearestName.of(name, in: names + (kind == nil ? known.kinds : [])).map { " Did you mean \($0)?" }
        let whose =
            kind.map { "The program \($0) has no" }
            ?? (known.kinds.isEmpty ? "The program has no" : "No program has an")
        return FleetExit(
            .negativeAnswer,
            TerminalText.line("\(whose) event or effect \(name).\(meant ?? "") See mobius events."))
    }

    private static func list(_ entries: [SchemaText.Entry]) {
        for (number, kind) in ["event", "effect", "type"].enumerated() {
            let some = entries.filter { $0.kind == kind }
            guard !some.isEmpty else { continue }
            if number > 0 { print("") }
            var table = Table(.name(kind.uppercased()), "FIELDS")
            for entry in some { table.add(entry.name, entry.fields.map(\.text).joined(separator: ", ")) }
            table.print()
        }
    }

    private static func show(_ entries: [SchemaText.Entry]) {
        for entry in entries {
            var lines = Lines()
            lines.add(entry.kind.prefix(1).uppercased() + entry.kind.dropFirst(), entry.name)
            for field in entry.fields { lines.add("Field", field.text) }
            lines.add("Example", entry.example)
            lines.print()
        }
    }

    private static func indented(_ json: String) -> String {
        guard let value = try? JSONSerialization.jsonObject(with: Data(json.utf8)),
            let data = try? JSONSerialization.data(
                withJSONObject: value, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        else { return TerminalText.line(json) }
        return TerminalText.lines(String(decoding: data, as: UTF8.self))
    }
}

extension SchemaText.Entry {
    fileprivate func jsonLine(of program: String?) -> JSONLine {
        var line = JSONLine()
        line.set("program", program)
        line.set("kind", kind)
        line.set("name", name)
        line.set(
            "fields",
            fields.map { field in
                var line = JSONLine()
                line.set("name", field.name.isEmpty ? nil : field.name)
                line.set("type", field.type)
                line.set("isOptional", field.isOptional)
                return line
            })
        if let example { line.set("example", Payload(kind: PayloadKind(type: ""), bytes: Array(example.utf8))) }
        return line
    }
}
