import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// Sites on which link checkers go wrong, audited by the real executables; `Sites/sites.py` serves them.
///
/// What is right is what browsers do and the standards say.
@Suite(.patient, .serialized)
struct SiteCaseTests {
    @Test(arguments: SiteCase.all)
    func everyMemberOfItsKindIsAuditedRight(_ site: SiteCase) async throws {
        let server = try TestProcess("/usr/bin/env", ["python3", SiteCase.script, site.name])
        try await server.output.wait(for: "the address of the site") { !$0.isEmpty }
        let url = server.output.elements[0]
        let fleet = try AuditFleet(auditing: url)
        let workers = [try fleet.fetcher(), try fleet.writer()]
        #expect(try await fleet.coordinator().end() == .exited(site.broken.isEmpty ? 0 : 1))
        withExtendedLifetime((server, workers)) {}
        let report = try AuditReport(in: fleet.report)
        let broken = report.broken.map { $0.link.replacingOccurrences(of: url, with: "") + ": " + $0.reason }
        let unread = report.unread.map { $0.page.replacingOccurrences(of: url, with: "") + ": " + $0.reason }
        #expect(broken.sorted() == site.broken.sorted())
        #expect(unread.sorted() == site.unread.sorted())
    }
}

/// A site of `Sites/sites.py`, and what is right of it.
struct SiteCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// The broken links, as `path: reason`.
    let broken: [String]
    /// The pages that are not read, likewise.
    let unread: [String]

    var testDescription: String { name }

    static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Sites/sites.py").path

    /// - Parameter read: The pages that are read, each of which has a broken link of its own; no others are.
    private init(_ name: String, read: String = "", broken: [String] = [], unread: [String] = []) {
        self.name = name
        self.broken = read.split(separator: " ").map { "lost/\($0): not found" } + broken
        self.unread = unread
    }

    static let all = exchanges + bodies + addresses

    /// How servers answer.
    private static let exchanges = [
        // RFC 6265: cookies are sent back to where they belong, and nowhere else.
        SiteCase("cookies", read: "again door both deep/room years home wide"),
        SiteCase("start-cookie", read: "start"),
        // RFC 9112, 2.2, 5.1, 5.2, 6.3 and 7.1, and what every client reads all the same.
        SiteCase(
            "lenient",
            read: "newlines no-reason odd-status folded folded-type large old two-lengths length-list space tabs "
                + "latin1 many early-hints trailers extension both"),
        SiteCase(
            "broken-off",
            broken: ["length", "chunks"].map { "\($0): the answer broke off before its end" }),
        SiteCase("heads", broken: ["page: an image is wanted here, this is text/html"]),
        // RFC 9110, 10.2.2: bytes go out as they came in, as escapes; only a redirect leads anywhere.
        SiteCase(
            "locations",
            read: "stra%C3%9Fe stra%DFe up two%20words plain near %c3%a9 %C3%B6 query?p=2 slashes slash part created "
                + "%22%3C%3E%22",
            broken: ["fragment: no anchor “ö” on that page"]),
        // RFC 9110, 5.6.7 and 10.2.3: three forms of a date, and seconds.
        SiteCase("retries", read: "seconds imf rfc850 asctime soon"),
        // RFC 9309, 2.2.2 and 2.2.3.
        SiteCase("robots", read: "star-two.html cost- anything.gif?x both"),
    ]

    /// What is in answers.
    private static let bodies = [
        // RFC 9110, 8.4.1, and names that are no codings.
        SiteCase(
            "codings",
            read: "x-gzip upper plain mixed zlib none raw binary members padded empty twice br zstd"),
        SiteCase("start-none", read: "none"),
        SiteCase("start-raw", read: "raw"),
        SiteCase(
            "unread",
            unread: [
                "compress: in an unknown coding", "noise: in an unknown coding", "bomb: too large", "large: too large",
            ]),
        // MIME Sniffing standard, 7.1; Fetch standard, "extract a MIME type".
        SiteCase(
            "types", read: "missing semicolons comma any unknown quoted upper word last comment",
            broken: ["missing#nowhere: no anchor “nowhere” on that page"]),
        SiteCase("start-type", read: "missing"),
        // Encoding standard: a mark comes before the header, which comes before `<meta>`.
        SiteCase("encodings", read: "le be label mark-le mark-be meta"),
        SiteCase("start-utf16", read: "mark-be"),
        // HTML standard, 13.2.5: tokenization.
        SiteCase(
            "raw-text",
            read: ["iframe", "short", "dash", "bang", "question", "cdata", "svg", "quoted", "solidus", "first"]
                .map { "yes/" + $0 }.joined(separator: " ")),
        // HTML standard, 13.2.5.72 to 13.2.5.80.
        SiteCase(
            "references",
            read: "slash dot.html low_line part colon copy?x=1&copy=2 end?x%C2%A9 amp?x&ampy amps?x&y not?x&notit;y "
                + "hex/two old%E2%80%93dash null%EF%BF%BD two%E2%89%82%CC%B8 tab bogus?&bogus; caf%C3%A9 th%C3%A9"),
    ]

    private static func notValid(_ host: String) -> String { "http://\(host)/: not a valid URL" }

    /// URL standard.
    private static let addresses = [
        SiteCase(
            "queries",
            read: "%E6%B4%AA?%BA%E9 u?%C3%A9 %C3%A9?%E9%80%26%2327946%3B %E8%A1%A8?%95\\ %D0%B6?%D6%e9"),
        SiteCase(
            "slashes",
            read: "one two three four five six seven x/z eight nine ten octal dot x wide 0",
            broken: ["256.0.0.1", "1.2.3.4.5", "127.0.0.08", "127.0.0.1:65536"].map(notValid)),
        SiteCase(
            "hosts", read: "wide soft upper zero bold escaped circled long",
            broken: ["local%20host", "local<host"].map(notValid)),
        // The normal form of an address is a key only.
        SiteCase(
            "spellings",
            read: "tag/%c3%b6 tag/%c3%bc %7Eme/ q?x=%2d1 it's(1);v=1 A%2FB 100% [x]|y plus+and%20space a//b"),
    ]
}
