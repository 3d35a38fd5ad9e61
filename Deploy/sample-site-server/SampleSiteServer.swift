import ArgumentParser
import Foundation
import MobiusProcess

typealias Request = SmallHTTPServer.Request
typealias Response = SmallHTTPServer.Response

/// Serves the sample site, or a synthetic one, on loopback, for demonstrations, tests and benchmarks.
@main
struct SampleSiteServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample-site-server",
        abstract: "Serves a small web site with defects on purpose, on loopback.",
        discussion: """
            The first line on standard output is the address of the site.

            EXAMPLES:
              sample-site-server --root Deploy/sample-site --port 8080
              sample-site-server --generate 5000 --links 20
              sample-site-server --generate 100000 --links 100 --broken 5     # as large as audits get
            """)

    @Option(help: ArgumentHelp("The port to listen on; 0 takes a free one.", valueName: "port"))
    var port = 0

    @Option(help: ArgumentHelp("The folder to serve.", valueName: "dir"))
    var root: String?

    @Option(help: ArgumentHelp("Serve a synthetic site of this many pages instead of a folder.", valueName: "pages"))
    var generate: Int?

    @Option(help: ArgumentHelp("How many links each synthetic page has.", valueName: "count"))
    var links = 20

    @Option(help: ArgumentHelp("How many of them are broken; 0: one on every fiftieth page.", valueName: "count"))
    var broken = 0

    @Option(help: ArgumentHelp("Append a line 'METHOD PATH' per request to this file.", valueName: "file"))
    var requestLog: String?

    @Option(
        help: ArgumentHelp(
            "With --request-log: stop at this request, until SIGCONT; may be repeated.", valueName: "number"))
    var pauseAt: [Int] = []

    @Option(help: ArgumentHelp("Wait this long before each answer.", valueName: "ms"))
    var delay = 0

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535.") }
        guard (root == nil) != (generate == nil) else {
            throw ValidationError("Give either --root DIR or --generate PAGES.")
        }
        guard generate ?? 1 > 0, links >= 0, delay >= 0 else {
            throw ValidationError("--generate must be positive; --links and --delay must not be negative.")
        }
        guard pauseAt.isEmpty || requestLog != nil else {
            throw ValidationError("--pause-at counts the requests in the log: give --request-log, too.")
        }
        guard 0...max(0, links - 2) ~= broken else {
            throw ValidationError("--broken must be from 0 to two less than --links: two links of a page lead on.")
        }
    }

    func run() async throws {
        let site: any Site =
            try generate.map { SyntheticSite(pages: $0, links: links, broken: broken) } ?? FolderSite(root: root ?? ".")
        let log = try requestLog.map { try RequestLog(path: $0, pauses: pauseAt) }
        let delay = Duration.milliseconds(delay)
        // Audits have hundreds of connections; their number is theirs to choose.
        let limits = SmallHTTPServer.Limits(connections: 4_096, closesAfterAnswer: false)
        let server = try SmallHTTPServer(host: "127.0.0.1", port: port, limits) { request in
            log?.note(method: request.method, path: request.target)
            return .later {
                if delay > .zero { try? await Task.sleep(for: delay) }
                return await site.response(to: request)
            }
        }
        try FileHandle.standardOutput.write(contentsOf: Data("http://127.0.0.1:\(server.port)/\n".utf8))
        // Until a signal ends the process.
        for await _ in AsyncStream<Never>.makeStream().stream {}
    }
}

/// The content of a ``SampleSiteServer``.
protocol Site: Sendable {
    /// The answer to a GET; HEAD gets the same without its body.
    func response(to request: Request) async -> Response
}
