import FleetTestSupport
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The sample site's server, running for real, with a log of every request.
final class Site: Sendable {
    let url: String
    private let server: TestProcess
    private let folder: TestFolder

    /// Serves a synthetic site of so many pages; each answer takes `delay` milliseconds, and each page has so many broken
    /// links, or every fiftieth one.
    ///
    /// - Parameter pauses: The requests at which the server stops itself, so that an audit cannot go on before the test acts.
    static func synthetic(
        pages: Int, delay: Int = 0, broken: Int = 0, pausingAt pauses: [Int] = []
    ) async throws -> Site {
        try await Site(
            ["--generate", "\(pages)", "--delay", "\(delay)", "--broken", "\(broken)"]
                + pauses.flatMap { ["--pause-at", "\($0)"] })
    }

    /// Serves the sample site in Deploy.
    static func sample() async throws -> Site {
        try await Site(["--root", Repository.path("Deploy/sample-site")])
    }

    private init(_ arguments: [String]) async throws {
        folder = try TestFolder()
        server = try TestProcess("sample-site-server", arguments + ["--request-log", folder.file("requests")])
        try await server.output.wait(for: "the address of the site") { !$0.isEmpty }
        url = server.output.elements[0]
    }

    /// Every request so far, as `GET /path`.
    var requests: [String] {
        get throws {
            try String(contentsOfFile: folder.file("requests"), encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }

    /// Paths that were asked for with GET more than once.
    var repeated: [String] {
        get throws {
            Dictionary(grouping: try requests, by: \.self).filter { $0.value.count > 1 && $0.key.hasPrefix("GET") }.keys
                .sorted()
        }
    }

    /// Answers nobody for now: requests wait.
    func pause() { server.signal(SIGSTOP) }

    /// Waits until it has stopped itself at one of its pauses.
    func waitForPause() async throws {
        try await eventually("the site has stopped itself") { server.isStopped }
    }

    /// Answers again, also those who waited.
    func resume() { server.signal(SIGCONT) }

    /// Waits until at least so many requests have come.
    func wait(forRequests count: Int) async throws {
        try await eventually("\(count) requests") { try requests.count >= count }
    }
}

/// The files of this checkout.
enum Repository {
    static func path(_ relative: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(relative).path
    }
}

/// `report.json` as users read it.
struct AuditReport: Codable, Equatable {
    struct Broken: Codable, Equatable {
        var page: String
        var link: String
        var line: Int
        var reason: String
        var status: Int?
    }

    struct Redirect: Codable, Equatable {
        var page: String
        var link: String
        var line: Int
        var target: String?
        var status: Int?
    }

    struct Unread: Codable, Equatable {
        var page: String
        var reason: String
    }

    var start: String
    var pages: Int
    var links: Int
    var broken: [Broken]
    var redirects: [Redirect]
    var unread: [Unread]
    var seconds: Double

    init(in folder: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/report.json"))
        self = try JSONDecoder().decode(AuditReport.self, from: data)
    }

    /// The report without what differs from run to run.
    var timeless: AuditReport {
        var copy = self
        copy.seconds = 0
        return copy
    }
}
