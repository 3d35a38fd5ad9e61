import SiteAudit
import Testing

/// User and password of the start URL go to its origin, and are shown nowhere.
@Suite struct CredentialTests {
    @Test func theyGoToTheStartsOriginAlone() throws {
        var site = FakeSite()
        site.page("http://site/", ["a.html", "http://other/", .image("http://x:secret3@third/p.png")])
        site.page("http://site/a.html", ["gone.html", "http://y:secret4@[bad/"])
        site.file("http://other/", "text/html")
        let run = AuditRun.of(site, start: "http://user:secret1%40@site/") { $0.checksExternal = true }
        let report = try #require(run.report)
        #expect(report.pages == 2)
        #expect(report.start == "http://***@site/")
        #expect(report.broken.count == 3)
        #expect(report.broken.contains { $0.link.contains("***@third") })
        for text in [ReportHTML(report.head, seconds: 1).opening, ReportJSON(report.head).opening] {
            #expect(text.contains("secret") == false)
        }
        #expect("\(report.rows) \(run.progress) \(run.finishes)".contains("secret") == false)
        for request in run.requests where request.url.contains("third") == false {
            #expect(request.credentials == (request.url.hasPrefix("http://site/") ? "user:secret1@" : nil))
            #expect(request.url.contains("secret") == false)
        }
    }

    @Test func theyAreNotInSentences() throws {
        for failure: FetchFailure in [.insecure, .workerFailed, .workerTimedOut] {
            var site = FakeSite()
            site.failures["http://site/"] = failure
            let run = AuditRun.of(site, start: "http://user:secret@site/")
            let finish = try #require(run.finishes.last)
            #expect("\(finish)".contains("secret") == false)
        }
        let run = AuditRun.of(FakeSite(), start: "ftp://user:secret@site/")
        let finish = try #require(run.finishes.last)
        #expect("\(finish)".contains("secret") == false)
    }

    @Test(
        arguments: [
            ("http://u:p@h/x@y", "http://***@h/x@y", "u:p"), ("http://u@h/", "http://***@h/", "u:"),
            ("http://h/x@y", "http://h/x@y", nil), ("http://a@b@h:81?q@", "http://***@h:81?q@", "a@b:"),
            ("//u:p@h", "//***@h", nil), ("\\\\u:p@h\\", "\\\\***@h\\", nil), ("mailto:a@b", "mailto:a@b", nil),
            ("", "", nil), ("http://", "http://", nil), ("http://@h/", "http://***@h/", nil),
            // slashes as browsers take them
            ("http:/u:p@h/", "http:/***@h/", "u:p"), ("https:u:p@h", "https:***@h", "u:p"),
            ("HTTP:\\\\/u:p@h/", "HTTP:\\\\/***@h/", "u:p"), ("/x///u:p@h", "/x///***@h", nil),
            (" http:/\t/u:p@h/", " http:/\t/***@h/", "u:p"),
        ])
    func masks(_ url: String, _ masked: String, _ credentials: String?) {
        #expect(WebURL.withoutSecrets(url) == masked)
        #expect(WebURL(url)?.credentials == credentials)
        #expect(WebURL(url)?.withoutCredentials.text.contains("p@h") != true)
    }
}
