#if HTTP
    import BankFleet
    import FleetTestSupport
    import Foundation
    import TestTraits
    import Testing

    /// The loops of a real coordinator over HTTP.
    @Suite(.patient)
    struct GatewayTests {
        private let bank: BankProcesses

        init() throws {
            bank = try BankProcesses()
        }

        @Test func anEventIsAppliedOncePerKey() async throws {
            let first = try bank.coordinator()
            let server = try await Server(of: first)
            let sent = try await server.send(opening(1), key: "k1")
            #expect(sent.status == 200)
            #expect(sent.headers["idempotency-key"] == "k1")
            #expect(sent.json["loop"] as? String == "main")
            #expect(sent.json["repeated"] as? Bool == false)
            #expect(try await server.send(opening(1), key: "\"k1\"").json["repeated"] as? Bool == true)
            let made = try await server.send(opening(2))
            let key = try #require(made.headers["idempotency-key"])
            #expect(made.json["key"] as? String == key)

            // Answered is on disk: the next run knows the keys.
            try await first.kill()
            let second = try await Server(of: try bank.coordinator())
            #expect(try await second.send(opening(1), key: "k1").json["repeated"] as? Bool == true)
            #expect(try await second.send(opening(2), key: key).json["repeated"] as? Bool == true)
            let model = try await second.ask("/loops/main")
            #expect(model.headers["event-number"] == "2")
            #expect(model.json["deposited"] as? Int == 200)
        }

        @Test func aModelIsReadUnlessItIsKnown() async throws {
            let server = try await Server(of: try bank.coordinator())
            _ = try await server.send(opening(1))
            let model = try await server.ask("/loops/main")
            let tag = try #require(model.headers["etag"])
            #expect(model.status == 200)
            #expect(tag.hasPrefix("\"1-"))
            #expect(try await server.ask("/loops/main", "-H", "If-None-Match: \(tag)").status == 304)
            #expect(try await server.ask("/loops/main", "--head").body == "")
            _ = try await server.send(opening(2))
            let next = try await server.ask("/loops/main", "-H", "If-None-Match: \(tag)")
            #expect(next.status == 200)
            #expect(next.json["events"] as? Int == 2)
            let past = try await server.ask("/loops/main?at=1")
            #expect(past.headers["etag"] == tag)
            #expect(past.json["events"] as? Int == 1)
            #expect(try await server.ask("/loops/main?at=9").problem == "unknown-event")
        }

        @Test func loopsAndHistoriesComeInPages() async throws {
            let server = try await Server(of: try bank.coordinator())
            for loop in ["shop%2F1", "shop%2F2", "shop%2F3", "stock"] {
                #expect(try await server.send(opening(1), to: loop, key: "k").status == 200)
            }
            var (names, next): ([String], String?) = ([], "/loops?prefix=shop/&limit=2")
            while let path = next {
                let page = try await server.ask(path)
                names += (page.json["loops"] as? [[String: Any]] ?? []).compactMap { $0["loop"] as? String }
                next = page.headers["link"]?.firstMatch(of: /<(.*)>; rel="next"/).map { String($0.1) }
                #expect((next == nil) == (page.json["next"] == nil))
            }
            #expect(names == ["shop/1", "shop/2", "shop/3"])
            for state in ["held", "ended"] {
                #expect((try await server.ask("/loops?state=\(state)").json["loops"] as? [Any])?.isEmpty == true)
            }

            var numbers: [Int] = []
            next = "/loops/shop%2F1/history?limit=1"
            while let path = next {
                let page = try await server.ask(path)
                let entries = page.json["entries"] as? [[String: Any]] ?? []
                let events = entries.filter { $0["kind"] as? String == "event" }
                numbers += events.compactMap { $0["sequence"] as? Int }
                if let event = events.last, numbers.last == 1 { #expect(event["key"] as? String == "k") }
                next = page.headers["link"]?.firstMatch(of: /<(.*)>; rel="next"/).map { String($0.1) }
            }
            #expect(numbers == [0, 1])
            let last = try await server.ask("/loops/shop%2F1/history?from=1&to=1")
            // The event, and the note that its answer has ended.
            #expect((last.json["entries"] as? [Any])?.count == 2)
        }

        @Test func eachMistakeIsAProblemOfItsOwn() async throws {
            let server = try await Server(of: try bank.coordinator(["--maximum-payload", "2000"]))
            let misspelt = try await server.send(#"{"acountOpened":{"_0":1,"balance":1}}"#)
            #expect(misspelt.status == 400)
            #expect(misspelt.problem == "invalid-event")
            #expect((misspelt.json["detail"] as? String)?.contains("did you mean accountOpened") == true)
            #expect(try await server.send(opening(1), to: "none", query: "?existing=true").problem == "unknown-loop")
            #expect(try await server.send(opening(1), query: "?existng=true").problem == "invalid-request")
            let plain = try await server.ask("/loops/main/events", "-d", opening(1))
            #expect(plain.problem == "unsupported-media-type")
            let large = "\"\(String(repeating: "x", count: 3000))\""
            #expect(try await server.send(large).problem == "too-large")
            #expect(try await server.send(large, "-H", "Transfer-Encoding: chunked").problem == "too-large")
            #expect(
                try await server.send(opening(1), key: String(repeating: "k", count: 256)).problem == "invalid-request")
            #expect(try await server.ask("/loops/none").problem == "unknown-loop")
            #expect(try await server.ask("/loops/none/models").problem == "unknown-loop")
            #expect(try await server.ask("/loops/none/history").problem == "unknown-loop")
            #expect(try await server.ask("/loops/a/b/c").problem == "not-found")
            #expect(try await server.ask("/loops?limit=0").problem == "invalid-request")
            #expect(try await server.ask("/loops?state=happy").problem == "invalid-request")
            let deletion = try await server.ask("/loops/main", "-X", "DELETE")
            #expect(deletion.status == 405)
            #expect(deletion.headers["allow"] == "GET, HEAD")
            // A page in a browser that gave this machine's address a name of its own.
            #expect(try await server.ask("/loops/main", "-H", "Host: evil.example").problem == "wrong-host")
            // Nothing of all this was applied.
            #expect(try await server.ask("/loops/main").headers["event-number"] == "0")
        }

        @Test func aHeldLoopRefuses() async throws {
            let poison = ["BANK_POISON": "p"]
            let event =
                #"{"transferRequested":{"_0":{"id":"p","route":[1,2],"amount":1,"wantsLetter":false,"isWatched":false}}}"#
            for _ in 0..<2 {
                let coordinator = try bank.coordinator(environment: poison)
                let server = try await Server(of: coordinator)
                _ = try await server.send(event, key: "p")
                #expect(try await coordinator.end() != .exited(0))
            }
            let server = try await Server(of: try bank.coordinator(environment: poison))
            _ = try await server.send(event, key: "p")
            let refused = try await server.send(opening(1))
            #expect(refused.status == 409)
            #expect(refused.problem == "held")
            // Its last good model is shown with a mark, and nothing is to be watched.
            let model = try await server.ask("/loops/main")
            #expect(model.status == 200)
            #expect(model.headers["loop-state"] == "held")
            #expect(model.headers["event-number"] == "0")
            #expect(try await server.ask("/loops/main/models").problem == "held")
        }

        @Test func aStreamGoesOnAfterARestart() async throws {
            let first = try bank.coordinator()
            let server = try await Server(of: first)
            let watcher = try server.watch()
            try await watcher.output.wait(for: "the model before all events") { $0.contains { $0.hasPrefix("id: 0-") } }
            _ = try await server.send(opening(1))
            try await watcher.output.wait(for: "the model after it") { $0.contains { $0.hasPrefix("id: 1-") } }
            try await first.kill()
            // The stream waits, and goes on with the coordinator's next run.
            let next = try bank.coordinator()
            try await next.log("listening")
            _ = try await server.send(opening(2))
            try await watcher.output.wait(for: "the next model") {
                $0.contains { $0.hasPrefix("data: ") && $0.contains(#""deposited":200"#) }
            }
            let id = try #require(watcher.output.elements.last { $0.hasPrefix("id: 1-") }).dropFirst(4)
            // So it does with another server, to which the client connects when the first is killed.
            try await server.serve.process.kill()
            try await watcher.end()
            let other = try await Server(of: next)
            let again = try other.watch(after: String(id))
            try await again.output.wait(for: "the model that it lacks") { $0.contains { $0.hasPrefix("id: 2-") } }
            #expect(!again.output.elements.contains { $0.hasPrefix("id: 1-") })
        }

        @Test func theStreamOfAnEndedLoopIsNotConnectedToAgain() async throws {
            let server = try await Server(of: try bank.coordinator())
            #expect(try await server.send(opening(1), to: "b").status == 200)
            let watcher = try server.watch("b")
            try await watcher.output.wait(for: "the model") { $0.contains { $0.hasPrefix("id: 1-") } }
            #expect(try await server.send(#"{"closed":{}}"#, to: "b").status == 200)
            try await watcher.end()
            #expect(watcher.output.elements.contains("event: problem"))
            let id = try #require(watcher.output.elements.last { $0.hasPrefix("id: ") }).dropFirst(4)
            #expect(id.hasPrefix("2-"))
            // EventSource connects again after the end of a stream, and only this status stops it.
            let again = try await server.ask("/loops/b/models", "-H", "Last-Event-ID: \(id)")
            #expect(again.status == 204)
            // One that lacks the last model gets it. A loop whose name begins with this one's has not ended.
            let late = try server.watch("b", after: "1-00000000")
            try await late.end()
            #expect(late.output.elements.contains("id: \(id)"))
            #expect(try await server.send(opening(1), to: "bank").status == 200)
            let other = try server.watch("bank", after: String(id))
            try await other.output.wait(for: "the model") { $0.contains { $0.hasPrefix("id: 1-") } }
        }

        @Test(arguments: [true, false])
        func aServerThatIsKilledInTheMiddleOfAnEventLosesAndDoublesNothing(isApplied: Bool) async throws {
            let coordinator = try bank.coordinator()
            let first = try await Server(of: coordinator)
            #expect(try await first.ask("/readyz").status == 200)
            coordinator.signal(SIGSTOP)
            let pending = try TestProcess(
                "/usr/bin/curl",
                [
                    "-sv", "-H", "Content-Type: application/json", "-H", "Idempotency-Key: k", "-d", opening(1),
                    "http://\(first.address)/loops/main/events",
                ])
            try await pending.errors.wait(for: "the request was sent") { $0.contains { $0.contains("Content-Length") } }
            if isApplied {
                coordinator.signal(SIGCONT)
                try await pending.output.wait(for: "the answer") { !$0.isEmpty }
            }
            try await first.serve.process.kill()
            coordinator.signal(SIGCONT)
            try await pending.end()
            // Whatever became of it: the same key again is the same event.
            let second = try await Server(of: coordinator)
            for _ in 0..<2 { #expect(try await second.send(opening(1), key: "k").json["number"] as? Int == 1) }
            #expect(try await second.ask("/loops/main").headers["event-number"] == "1")
        }

        @Test func whatTheProgramMasksIsMaskedUnlessAskedOtherwise() async throws {
            let endpoint = "ipc://\(bank.folder.file("audit"))"
            let audit = try TestProcess(
                "site-audit", ["--bind", endpoint, "--start", "http://ada:sesame@127.0.0.1:1/"], in: bank.folder.path)
            let (masked, open) = (try await Server(of: audit), try await Server(of: audit, "--unmasked"))
            var tags: [String?] = []
            for (server, isShown) in [(masked, false), (open, true)] {
                let model = try await server.ask("/loops/main")
                #expect(model.status == 200 && model.body.contains("sesame") == isShown, "\(model)")
                tags.append(model.headers["etag"])
                let history = try await server.ask("/loops/main/history")
                #expect(history.status == 200 && history.body.contains("sesame") == isShown, "\(history)")
            }
            // One does not stand for the other.
            #expect(tags[0] != tags[1])
        }

        @Test func bytesThatAreNotUTF8AreRefused() async throws {
            let server = try await Server(of: try bank.coordinator())
            let event = opening(1)
            func answer(_ line: String, _ header: [UInt8]) async throws -> String {
                try await onThread { [address = server.address] in
                    let connection = try RawConnection(address)
                    connection.write(Array("\(line) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n".utf8))
                    connection.write(header + Array("\r\n".utf8))
                    connection.write(
                        "Content-Type: application/json\r\nContent-Length: \(event.utf8.count)\r\n\r\n\(event)")
                    return connection.readToEnd()
                }
            }
            let key = Array("Idempotency-Key: Bestellung-".utf8)
            // In Latin-1 two orders would have one key.
            for letter: UInt8 in [0xE4, 0xF6] {
                let refused = try await answer("POST /loops/main/events", key + [letter])
                #expect(refused.hasPrefix("HTTP/1.1 400 ") && refused.contains("is not UTF-8"), "\(refused)")
            }
            let replaced = try await answer("POST /loops/main/events", key + Array("\u{FFFD}".utf8))
            #expect(replaced.hasPrefix("HTTP/1.1 400 "), "\(replaced)")
            #expect(try await server.ask("/loops/main").headers["event-number"] == "0")
            let taken = try await answer("POST /loops/main/events", key + Array("ä".utf8))
            #expect(taken.hasPrefix("HTTP/1.1 200 ") && taken.contains("Bestellung-ä"), "\(taken)")
        }

        @Test func theDescriptionNamesTheProgramsEvents() async throws {
            let server = try await Server(of: try bank.coordinator())
            let document = try await server.ask("/openapi.json").json
            let paths = try #require(document["paths"] as? [String: Any])
            #expect(
                paths.keys.sorted() == [
                    "/effects", "/letters", "/loops", "/loops/{id}", "/loops/{id}/events", "/loops/{id}/history",
                    "/loops/{id}/models",
                    "/loops/{id}/waits", "/openapi.json", "/session", "/status",
                ])
            let schemas = (document["components"] as? [String: Any])?["schemas"] as? [String: Any]
            let event = try #require(schemas?["Event"] as? [String: Any])
            #expect(event["$ref"] as? String == "#/components/schemas/Event/$defs/Event")
            #expect((event["$defs"] as? [String: Any])?["Event"] != nil)
            // What is answered is what is described, by name.
            let loops = try #require(try await server.ask("/loops").json["loops"] as? [[String: Any]])
            let history = try #require(try await server.ask("/loops/main/history").json["entries"] as? [[String: Any]])
            var bodies = [("Loop", loops.first), ("Entry", history.first)]
            for (name, path) in [
                ("Status", "/status"), ("Waits", "/loops/main/waits"), ("Rights", "/session"), ("Effects", "/effects"),
                ("Letters", "/letters"),
            ] {
                bodies.append((name, try await server.ask(path).json))
            }
            for (name, body) in bodies {
                let schema = try #require(schemas?[name] as? [String: Any])
                let properties = try #require(schema["properties"] as? [String: Any])
                let body = try #require(body)
                #expect(Set(body.keys).isSubset(of: properties.keys), "\(name)")
                #expect(Set(schema["required"] as? [String] ?? []).isSubset(of: body.keys), "\(name)")
            }
        }
    }
#endif
