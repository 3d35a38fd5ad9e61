#if HTTP
    import BankFleet
    import FleetTestSupport
    import Foundation
    import MobiusHTTP
    import TestTraits
    import Testing

    /// The files of the dashboard, what they ask for, and the cookie that keeps a browser's token.
    @Suite(.patient)
    struct DashboardTests {
        private let bank: BankProcesses

        init() throws {
            bank = try BankProcesses()
        }

        @Test func filesComeWithAPolicyAndOnlyOnce() async throws {
            let server = try await Server(of: try bank.coordinator())
            let page = try await server.ask("/")
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            let policy = try #require(page.headers["content-security-policy"])
            for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
                #expect(policy.contains(part))
            }
            #expect(!policy.contains("unsafe"))
            #expect(page.headers["referrer-policy"] == "no-referrer")
            // Each file that another one names is there, with a type that browsers run, and none has anything inline.
            var (open, seen): ([String], Set<String>) = (["/"], [])
            while let path = open.popLast() {
                guard seen.insert(path).inserted else { continue }
                let file = try await server.ask(path)
                #expect(file.status == 200, "\(path)")
                #expect(file.headers["x-content-type-options"] == "nosniff")
                let names = file.body.matches(of: /(?:src|href)="(\/[^"#]*)"|from "\.(\/[a-z.]+)"/)
                open += names.compactMap { $0.1.map(String.init) ?? $0.2.map { "/dashboard\($0)" } }
                let tag = try #require(file.headers["etag"])
                #expect(try await server.ask(path, "-H", "If-None-Match: \(tag)").status == 304)
            }
            #expect(seen.count > 15)
            #expect(!page.body.contains("style=") && !page.body.contains("<style"))
            #expect(try await server.ask("/dashboard/none.js").status == 404)
            #expect(try await server.ask("/", "-X", "POST", "-d", "x").status == 405)
            #expect(try await server.ask("/", "--head").body == "")
            // Answers with data are no markup either.
            #expect(try await server.ask("/loops").headers["x-content-type-options"] == "nosniff")
        }

        @Test func nothingThatDependsOnACallerIsKeptForAnother() async throws {
            let server = try await Server(of: try bank.coordinator())
            #expect(try await server.send(opening(1)).headers["cache-control"] == "no-store")
            for (path, kept) in [
                ("/loops/main", "no-store"), ("/loops/main?at=0", "no-store"), ("/loops/main/history", "no-store"),
                ("/session", "no-store"),
                ("/loops", "private, no-cache"), ("/status", "private, no-cache"), ("/effects", "private, no-cache"),
                ("/letters", "private, no-cache"), ("/openapi.json", "private, no-cache"),
                ("/loops/main/waits", "private, no-cache"),
                ("/loops/none/x", "private, no-cache"), ("/loops/none", "no-store"),
            ] {
                let reply = try await server.ask(path)
                #expect(reply.headers["cache-control"] == kept, "\(path)")
                #expect(reply.headers["vary"] == "Authorization, Cookie", "\(path)")
            }
        }

        @Test func statusAndWaitsAreWhatTheCommandsShow() async throws {
            let server = try await Server(of: try bank.coordinator())
            #expect(try await server.send(opening(1)).status == 200)
            let status = try await server.ask("/status")
            #expect(status.status == 200)
            #expect(status.json["loopCount"] as? Int == 1)
            #expect(try await server.ask("/status?x=1").problem == "invalid-request")
            let waits = try await server.ask("/loops/main/waits")
            #expect(waits.status == 200)
            let shown = try TestProcess(
                "mobius", ["effects", "--why", "main", "--json", "--connect", "\(bank.endpoint)-client"])
            try await shown.end()
            let line = try JSONSerialization.jsonObject(with: Data(shown.output.elements.joined().utf8))
            #expect(waits.json["sentence"] as? String == (line as? [String: Any])?["sentence"] as? String)
            #expect(try await server.ask("/loops/none/waits").problem == "unknown-loop")
            let session = try await server.ask("/session")
            #expect(session.json["name"] == nil)
            #expect((session.json["rights"] as? [String])?.contains("send") == true)
            // There is no token to keep.
            #expect(try await server.ask("/session", "-X", "POST").problem == "invalid-request")
        }

        @Test func effectsAndDeadLettersAreListedInPages() async throws {
            let server = try await Server(of: try bank.coordinator())
            let transfer =
                #"{"transferRequested":{"_0":{"id":"t","route":[1,2],"amount":1,"wantsLetter":false,"isWatched":false}}}"#
            for loop in ["a", "b"] {
                #expect(try await server.send(opening(1), to: loop).status == 200)
                #expect(try await server.send(opening(2), to: loop).status == 200)
                #expect(try await server.send(transfer, to: loop).status == 200)
            }
            var (loops, next): (Set<String>, String?) = ([], "/effects?limit=1")
            while let path = next {
                let page = try await server.ask(path)
                let effects = try #require(page.json["effects"] as? [[String: Any]], "\(page)")
                loops.formUnion(effects.compactMap { $0["loop"] as? String })
                #expect(effects.allSatisfy { ($0["obstacle"] as? String)?.contains("no worker serves") == true })
                next = page.headers["link"]?.firstMatch(of: /<(.*)>; rel="next"/).map { String($0.1) }
                #expect((next == nil) == (page.json["next"] == nil))
            }
            #expect(loops == ["a", "b"])
            let ofOne = try await server.ask("/effects?loop=a")
            #expect(ofOne.body.contains("\"a/") && !ofOne.body.contains("\"b/"))
            #expect((try await server.ask("/letters?prefix=a").json["letters"] as? [Any])?.isEmpty == true)
            #expect(try await server.ask("/effects?loop=none").problem == "unknown-loop")
            for path in ["/effects?after=x", "/effects?limit=0", "/letters?loop=a&prefix=b", "/letters?pool=x"] {
                #expect(try await server.ask(path).problem == "invalid-request", "\(path)")
            }
        }

        @Test func aCookieIsAsGoodAsItsTokenInRequestsOfThePagesOnly() async throws {
            let (sender, reader) = (try await bank.token("sender", "send"), try await bank.token("reader", "read"))
            let coordinator = try bank.coordinator(["--keys", bank.folder.file("keys")])
            try await bank.keys("new", "gateway", "--client", "serve")
            let key = bank.folder.file("keys/gateway.key")
            let server = try await Server(of: coordinator, "--key-file", key)
            // The page is for everyone, what it shows is not.
            #expect(try await server.ask("/").status == 200)
            for path in ["/status", "/session", "/loops/main/waits", "/effects", "/letters"] {
                #expect(try await server.ask(path).problem == "token-missing")
            }
            #expect(try await server.ask("/session", "-X", "POST").problem == "token-missing")
            #expect(try await server.ask("/session", "-X", "POST", token: "mft_wrong").problem == "token-unknown")

            let login = try await server.ask("/session", "-X", "POST", token: reader)
            #expect(login.status == 200 && login.json["name"] as? String == "reader", "\(login)")
            let cookie = try #require(login.headers["set-cookie"])
            let name = "mobius-token-\(server.address.split(separator: ":")[1])"
            #expect(cookie == "\(name)=\(reader); HttpOnly; SameSite=Strict; Path=/")
            let secure = try await server.ask(
                "/session", "-X", "POST", "-H", "Origin: https://fleet.example", token: reader)
            #expect(
                secure.headers["set-cookie"] == "__Host-\(name)=\(reader); HttpOnly; SameSite=Strict; Path=/; Secure")

            let reads = "Cookie: a=b; \(name)=\(reader)"
            for path in ["/status", "/session", "/loops/main/waits"] {
                #expect(try await server.ask(path, "-H", reads).status == 200, "\(path)")
            }
            // Any server of the fleet behind one address knows it, for none keeps anything; another port has another cookie.
            let other = try await Server(of: coordinator, "--key-file", key)
            #expect(try await other.ask("/status", "-H", reads, "-H", "Host: \(server.address)").status == 200)
            #expect(try await other.ask("/status", "-H", reads).problem == "token-missing")
            // What other programs of this host have set, and what a proxy has asked for, is in no way.
            let long = String(repeating: "x", count: 4000)
            for rest in [
                "x=\u{FFFD}", "x=\(long)", "\(name)=mft_wrong; __Host-\(name)=mft_wrong", "\(name)=\u{FFFD}",
                "\(name)=\(long)",
            ] {
                let both = "Cookie: \(rest); \(name)=\(reader)"
                let asked = try await server.ask("/status", "-H", both, "-H", "Authorization: Basic YTpi")
                #expect(asked.status == 200, "\(rest.prefix(40)): \(asked)")
            }
            #expect(try await server.ask("/status", "-H", "Authorization: Basic YTpi").problem == "token-missing")
            #expect(try await server.ask("/status", "-H", reads, token: "mft_wrong").problem == "token-unknown")
            for site in ["cross-site", "same-site"] {
                let stolen = try await server.ask("/status", "-H", reads, "-H", "Sec-Fetch-Site: \(site)")
                #expect(stolen.status == 403 && stolen.problem == "wrong-origin")
            }
            let ours = "Sec-Fetch-Site: same-origin"
            #expect(try await server.send(opening(1), "-H", reads, "-H", ours).problem == "forbidden")
            #expect(try await server.ask("/loops/main", "-H", reads).problem == "forbidden")

            let sends = "Cookie: \(name)=\(sender)"
            for path in ["/status", "/loops/main/waits", "/effects", "/letters"] {
                #expect(try await server.ask(path, "-H", sends).problem == "forbidden", "\(path)")
            }
            #expect(try await server.send(opening(1), "-H", sends).problem == "wrong-origin")
            #expect(try await server.send(opening(1), "-H", sends, "-H", "Origin: http://evil.example").status == 403)
            #expect(
                try await server.send(opening(1), "-H", sends, "-H", "Origin: http://\(server.address)").status == 200)
            #expect(try await server.send(opening(2), "-H", sends, "-H", ours).status == 200)

            let logout = try await server.ask("/session", "-X", "DELETE")
            #expect(logout.status == 204)
            #expect(
                logout.headers["set-cookie"] == "__Host-\(name)=; HttpOnly; SameSite=Strict; Path=/; Secure; Max-Age=0")
            try await bank.keys("revoke", "reader")
            try await eventually("the revoked token is unknown") {
                try await server.ask("/status", "-H", reads).status == 401
            }
        }

        @Test func cookies() {
            func tokens(_ field: String?, _ authority: String? = "fleet:80") -> [String] {
                TokenCookie.tokens(in: field, of: authority)
            }
            #expect(tokens("mobius-token-80=a") == ["a"])
            #expect(tokens("x=1; mobius-token-80=a=b;y") == ["a=b"])
            #expect(tokens("mobius-token-80=a; mobius-token-80=b; __Host-mobius-token-80=c") == ["c", "a", "b"])
            for field in [
                nil, "", "mobius-token-80", "mobius-token-80=", "xmobius-token-80=a", "mobius-token=a",
                "mobius-token-80=\u{E9}",
            ] {
                #expect(tokens(field).isEmpty)
            }
            for authority in [nil, "", "fleet", "[::1]", "fleet:", "fleet:x", "fleet:123456"] {
                #expect(tokens("mobius-token-80=a; mobius-token=b", authority) == ["b"], "\(authority ?? "none")")
            }
            #expect(tokens("mobius-token-80=a", "[::1]:80") == ["a"])
            #expect(tokens(String(repeating: "mobius-token-80=a;", count: 1000)).count == 8)
            func isOfOurs(_ site: String?, _ origin: String?, isRead: Bool = false) -> Bool {
                TokenCookie.isOfOurs(site: site, origin: origin, authority: "Fleet:80", isRead: isRead)
            }
            #expect(isOfOurs("same-origin", nil) && isOfOurs(nil, "http://fleet:80"))
            #expect(isOfOurs("none", nil, isRead: true) && isOfOurs(nil, nil, isRead: true))
            #expect(!isOfOurs("none", nil) && !isOfOurs(nil, nil) && !isOfOurs(nil, "null"))
            #expect(!isOfOurs("cross-site", "http://fleet:80", isRead: true))
            #expect(!isOfOurs(nil, "http://fleet:81", isRead: true))
        }
    }
#endif
