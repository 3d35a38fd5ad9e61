#if HTTP
    import MobiusHTTP
    import MobiusWire
    import Testing

    /// What paths, queries and tags mean.
    struct RouteTests {
        private let shop = LoopID("shop/42")

        @Test func paths() throws {
            let shop = try #require(shop)
            #expect(try GatewayRoute(path: "/loops") == .loops)
            #expect(try GatewayRoute(path: "/loops/main") == .model(.main))
            #expect(try GatewayRoute(path: "/loops/shop%2F42/events") == .events(shop))
            #expect(try GatewayRoute(path: "/loops/shop%2f42/history") == .history(shop))
            #expect(try GatewayRoute(path: "/loops/shop%2F42/models") == .models(shop))
            #expect(try GatewayRoute(path: "/loops/shop%2F42/waits") == .waits(shop))
            #expect(try GatewayRoute(path: "/status") == .status)
            #expect(try GatewayRoute(path: "/effects") == .effects)
            #expect(try GatewayRoute(path: "/letters") == .letters)
            #expect(try GatewayRoute(path: "/session") == .session)
            #expect(try GatewayRoute(path: "/openapi.json") == .description)
            #expect(try GatewayRoute(path: "/livez") == nil)
            #expect(try GatewayRoute(path: "/loop") == nil)
        }

        @Test(arguments: [
            ("/loops/", Problem.Code.invalidRequest), ("/loops/%zz", .invalidRequest), ("/loops/%ff", .invalidRequest),
            ("/loops/%4", .invalidRequest), ("/loops/" + String(repeating: "a", count: 129), .invalidRequest),
            ("/loops/shop/42/events", .notFound), ("/loops/main/event", .notFound),
        ])
        func wrongPaths(_ path: String, _ code: Problem.Code) {
            #expect { try GatewayRoute(path: path) } throws: { ($0 as? Problem)?.code == code }
        }

        @Test func queries() throws {
            let query = try QueryParameters("prefix=a%2Fb+c&limit=7&x=true", known: ["prefix", "limit", "x", "y"])
            #expect(query.text("prefix") == "a/b c")
            #expect(try query.number("limit") == 7)
            #expect(try query.flag("x") == true)
            #expect(try query.flag("y") == nil)
            #expect(throws: Problem.self) { try QueryParameters("limt=7", known: ["limit"]) }
            #expect(throws: Problem.self) { try QueryParameters("a=1&a=2", known: ["a"]) }
            for wrong in ["-1", "0", "1001", "7a", "99999999999999999999", ""] {
                let query = try QueryParameters("limit=\(wrong)", known: ["limit"])
                #expect(throws: Problem.self) { try query.number("limit", in: 1...1000) }
            }
        }

        @Test func encoding() {
            #expect(Percent.encoded("a/ü b") == "a%2F%C3%BC%20b")
            #expect(Percent.decoded("a%2F%C3%BC%20b") == "a/ü b")
            #expect(Percent.decoded("a+b") == "a+b")
            #expect(Percent.decoded("%C3") == nil)
        }

        @Test func tags() {
            let journal = JournalID(high: 0x0123_4567_89ab_cdef, low: 0)
            func summary(_ build: String, isMasked: Bool = false) -> ModelSummary {
                ModelSummary(
                    loop: .main, version: ModelVersion(journal: journal, sequence: 17), build: build, isMasked: isMasked
                )
            }
            let tag = ModelTag(summary("b"))
            #expect("\(tag)".hasPrefix("17-01234567-"))
            #expect(ModelTag(summary("c")) != tag)
            #expect(ModelTag(summary("b", isMasked: true)) != tag)
            #expect(tag.isNamed(in: "\"\(tag)\""))
            #expect(tag.isNamed(in: "\"x\", W/\"\(tag)\" "))
            #expect(tag.isNamed(in: "*"))
            #expect(!tag.isNamed(in: #""17-01234567""#))
            #expect(!tag.isNamed(in: "\(tag)"))
        }

        @Test(arguments: ["localhost", "localhost:9464", "127.0.0.1:1", "[::1]:9464", "LOCALHOST", ""])
        func loopback(_ authority: String) {
            #expect(LoopbackName.isOne(authority))
        }

        @Test(arguments: [
            "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "[::2]", "10.0.0.1", "[::1",
        ])
        func elsewhere(_ authority: String) {
            #expect(!LoopbackName.isOne(authority))
        }

        @Test func budgets() {
            let budget = ByteBudget(100)
            #expect(budget.reserve(1000))  // one is always admitted
            #expect(!budget.reserve(1))
            budget.release(1000)
            #expect(budget.reserve(60))
            #expect(!budget.reserve(41))
            #expect(budget.reserve(40))
        }

        @Test func eachProblemHasAStatusAndAName() {
            for code in Problem.Code.allCases {
                #expect((400...507).contains(code.status))
                #expect(!code.title.isEmpty)
                #expect(Problem(code, "why").json.contains(#""code":"\#(code.rawValue)""#))
            }
        }
    }
#endif
