import ArgumentParser
import MobiusClient
import MobiusProcess

/// The options of commands that list effects or dead letters.
struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many at most.", valueName: "count"))
    var limit = 100

    @Option(help: ArgumentHelp("Only those after this one.", valueName: "effect"))
    var after: EffectID?

    @Flag(help: "One JSON object per line instead of a table.")
    var json = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    }

    /// Requests pages until `limit` elements are collected, or no more exist.
    func collect<Element>(
        _ page: (_ after: EffectID?, _ limit: Int) async throws -> FleetPage<Element>, id: (Element) -> EffectID
    ) async throws -> FleetPage<Element> {
        var all = FleetPage<Element>([], more: true)
        while all.more, all.elements.count < limit {
            let next = try await page(all.elements.last.map(id) ?? after, min(1000, limit - all.elements.count))
            all.elements += next.elements
            // An empty page would be requested again without end.
            all.more = next.more && !next.elements.isEmpty
        }
        return all
    }

    /// Reports on standard error that the list is incomplete, so that standard output contains only the list.
    func printRest<Element>(_ all: FleetPage<Element>) {
        if all.more { StandardError.write("There are more: raise --limit, or go on with --after the last.\n") }
    }
}
