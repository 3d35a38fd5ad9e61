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
              mobius events --schema > events.schema.json
            """)

    @Argument(help: "Only the event, effect or type of this name.")
    var name: String?

    @Flag(help: "Print the JSON Schema.")
    var schema = false

    @Flag(help: "One JSON object per line instead of tables; with --schema, no line breaks.")
    var json = false

    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard !schema || name == nil else {
            throw ValidationError("--schema prints all events and effects: leave NAME out.")
        }
    }

    func run() async throws {
        try await options.withClient { client, _ in
            let text = try await client.schema()
            if schema { return print(json ? text : Self.indented(text)) }
            guard let known = SchemaText(text) else {
                throw FleetExit(.unavailable, "The coordinator's answer is no JSON Schema: update this command.")
            }
            let entries = known.entries.filter { name == nil || $0.name == name }
            guard !entries.isEmpty else { throw unknown(in: known.entries.map(\.name)) }
            if json { return entries.forEach { print($0.jsonLine.text) } }
            if name != nil { return Self.show(entries) }
            Self.list(entries)
        }
    }

    private func unknown(in names: [String]) -> FleetExit {
        guard let name else { return FleetExit(.negativeAnswer, "The program has no events.") }
        let meant = NearestName.of(name, in: names).map { " Did you mean \($0)?" } ?? ""
        return FleetExit(
            .negativeAnswer, TerminalText.line("The program has no event or effect \(name).\(meant) See mobius events.")
        )
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
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
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
