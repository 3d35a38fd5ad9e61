import ArgumentParser
import Foundation
import MobiusLauncher
import MobiusProcess

/// The command `mobius check-evolution OLD-SCHEMA NEW-SCHEMA`.
struct CheckEvolution: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-evolution", abstract: "Says whether a new build can read what the old one has written.",
        discussion: """
            Both files are what `NAME --schema` of a coordinator prints: keep the one of the build that runs beside its journal or in your \
            repository, and compare each new build with it before it is deployed. A case or a field that was removed or changed needs a new \
            version of its type (the page 'Types that change' says how), and is refused without one.

            What the old build cannot read of the new one is told, too: it says whether there is a way back after the new build has run, \
            and what workers that were not replaced yet will refuse. It is refused with --rollback only.

            The forms are those of JSON. Types whose `init(from:)` is written by hand are compared as far as they could be read; what \
            the conversion of an older version does is tried by `mobius compare` with a real journal.

            Exit codes: 0 the new build reads what the old one has written; 1 it does not, or with --rollback the old one does not read \
            what the new one writes; 64 wrong usage; 66 a file cannot be read, or is no schema.

            Examples:
              ./old/shop --schema > shop.schema.json
              mobius check-evolution shop.schema.json <(./new/shop --schema)
              mobius check-evolution shop.schema.json new.json --rollback --json
            """)

    @Argument(help: ArgumentHelp("The schema of the old build.", valueName: "old-schema"))
    var old: String

    @Argument(help: ArgumentHelp("The schema of the new build.", valueName: "new-schema"))
    var new: String

    @Flag(help: "Refuse also what the old build cannot read of the new one.")
    var rollback = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let evolution: SchemaEvolution
        do throws(FleetExit) {
            evolution = SchemaEvolution(from: try Self.schema(old), to: try Self.schema(new))
        } catch {
            throw error.report()
        }
        print(json ? try Self.json(evolution) : Self.text(evolution))
        guard evolution.back.isEmpty, !rollback || evolution.forth.isEmpty else { throw ExitCode(1) }
    }

    private static func schema(_ path: String) throws(FleetExit) -> SchemaDocument {
        // A pipe, too, so not as the contents of a URL.
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else {
            throw FleetExit(.noInput, "\(path) cannot be read, or is empty.")
        }
        do {
            return try JSONDecoder().decode(SchemaDocument.self, from: data)
        } catch {
            throw FleetExit(
                .noInput, "\(path) is no schema of a program: write it with 'NAME --schema' of a coordinator.")
        }
    }

    private static func json(_ evolution: SchemaEvolution) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let findings = ["back": evolution.back, "forth": evolution.forth, "notes": evolution.notes]
        return String(decoding: try encoder.encode(findings), as: UTF8.self)
    }

    private static func text(_ evolution: SchemaEvolution) -> String {
        let parts = [
            (evolution.back, "The new build cannot read what the old one has written:"),
            (
                evolution.forth,
                "The old build cannot read what the new one writes, so there is no way back, and its workers refuse it:"
            ),
            (evolution.notes, "Look at these:"),
        ]
        let lines = parts.flatMap { findings, title in
            findings.isEmpty ? [] : [title] + findings.map { "    \($0.path): \($0.reason)" }
        }
        if evolution.back.isEmpty {
            let way = evolution.forth.isEmpty ? ", and the old one what the new one writes" : ""
            return (["The new build reads what the old one has written\(way)."] + lines).joined(separator: "\n")
        }
        return lines.joined(separator: "\n")
    }
}
