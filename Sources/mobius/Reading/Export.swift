import ArgumentParser
import Foundation
import MobiusClient
import MobiusLauncher
import MobiusProcess
import MobiusWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The command `mobius export LOOP…`.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes loops to a file, with their histories and the model after each event.",
        discussion: """
            `mobius view FILE` opens the file in a browser, without a coordinator or a journal: attach it to a report of a bug. It has \
            JSON lines; the page 'The client protocol' has their form. What the program masks for people is masked, unless \
            --unmasked is given, but the status of the fleet with the names of its workers is there. Only its owner may read the file.

            How far back it goes depends on what the journal keeps: with --keep-history to each loop's start.

            Exit codes: 0; 73 when the file cannot be written; \(ClientOptions.exitCodes)

            Examples:
              mobius export order/4711 --output order-4711.jsonl
              mobius export --prefix order/47 --limit 50 | gzip > orders.jsonl.gz
              mobius export order/4711 --from 900 | jq -c 'select(.entry) | [.entry.sequence, .entry.after.model.total]'
            """)

    @Argument(help: ArgumentHelp("The loops.", valueName: "loop"))
    var loops: [LoopID] = []

    @Option(help: ArgumentHelp("Also those whose names begin so.", valueName: "text"))
    var prefix: String?

    @Option(help: ArgumentHelp("With --prefix: how many of these at most.", valueName: "count"))
    var limit = 100

    @Option(help: ArgumentHelp("The first event of each loop (default: the first that is kept).", valueName: "number"))
    var from: UInt64?

    @Option(help: ArgumentHelp("The last event of each loop (default: the newest).", valueName: "number"))
    var to: UInt64?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The file, which is replaced if it exists (default: standard output).", valueName: "file"))
    var output: String?

    @OptionGroup var mask: MaskOptions
    @OptionGroup(title: "Coordinator") var options: ClientOptions

    func validate() throws {
        guard !loops.isEmpty || prefix != nil else { throw ValidationError("Name a loop, or several with --prefix.") }
        guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
        guard output != nil || isatty(STDOUT_FILENO) == 0 else {
            throw ValidationError("Name a file with --output: an export is not for a terminal.")
        }
    }

    func run() async throws {
        try await options.withClient(
            maximumPayload: Int(PayloadLimit.range.upperBound), unmasked: mask.unmasked
        ) { client, _ in
            var names = loops
            if let prefix { names += try await listed(prefix, client) }
            let file = try output.map { try ExportFile($0) }
            let end: ExportLine.End
            do {
                end = try await LoopExport(client, from: from, to: to, shownAs: { $0.shown }).run(
                    names, at: .now, isMasked: !mask.unmasked
                ) { line in
                    let text = JSONLine(line).text
                    if let file { try file.write(text) } else { print(text) }
                }
                try file?.finish()
            } catch {
                file?.discard()
                throw error
            }
            guard let output else { return }
            StandardError.write(
                "\(end.loops) loop\(end.loops == 1 ? "" : "s") with \(end.events) events: mobius view \(output)\n")
        }
    }

    private func listed(_ prefix: String, _ client: FleetClient) async throws -> [LoopID] {
        var (loops, next): ([LoopID], LoopID?) = ([], nil)
        repeat {
            let page = try await client.loops(prefix: prefix, after: next, limit: min(1000, limit - loops.count))
            loops += page.loops.map(\.loop)
            next = page.next
        } while next != nil && loops.count < limit
        if next != nil { StandardError.write("There are more loops of this prefix: raise --limit.\n") }
        return loops
    }
}

/// A file that appears under its name once it is whole.
private final class ExportFile {
    private let path: String
    private let part: String
    private let file: UnsafeMutablePointer<FILE>

    init(_ path: String) throws(FleetExit) {
        self.path = path
        part = "\(path).\(getpid()).part"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0, let file = fdopen(descriptor, "w") else { throw Self.failure(path) }
        self.file = file
    }

    func write(_ line: String) throws {
        guard fputs(line, file) >= 0, fputs("\n", file) >= 0 else { throw Self.failure(path) }
    }

    /// Gives the file its name.
    func finish() throws {
        guard fflush(file) == 0, fsync(fileno(file)) == 0, rename(part, path) == 0 else { throw Self.failure(path) }
        fclose(file)
    }

    /// Leaves nothing behind.
    func discard() {
        fclose(file)
        unlink(part)
    }

    private static func failure(_ path: String) -> FleetExit {
        FleetExit(.cannotCreate, "\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
