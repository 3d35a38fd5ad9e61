#if HTTP
    import BankFleet
    import FleetTestSupport
    import Foundation
    import TestTraits
    import Testing

    /// Who may do what over HTTP.
    @Suite(.patient)
    struct TokenTests {
        private let bank: BankProcesses

        init() throws {
            bank = try BankProcesses()
        }

        /// A server whose key may pass on requests, and nothing else.
        private func server(of coordinator: TestProcess) async throws -> Server {
            try await bank.keys("new", "gateway", "--client", "serve")
            return try await Server(
                of: coordinator, listen: "0.0.0.0:0", "--key-file", bank.folder.file("keys/gateway.key"))
        }

        @Test func aKeyBelongsToOneEventOfOneSender() async throws {
            let (ada, bob) = (try await bank.token("ada", "send"), try await bank.token("bob", "send"))
            let keys = ["--keys", bank.folder.file("keys")]
            var coordinator = try bank.coordinator(keys)
            let server = try await server(of: coordinator)
            #expect(try await server.send(opening(1), key: "k", token: ada).status == 200)
            for _ in 0..<2 {
                let again = try await server.send(opening(1), key: "k", token: ada)
                #expect(again.status == 200 && again.body.contains(#""repeated":true"#), "\(again)")
                let stolen = try await server.send(opening(1), key: "k", token: bob)
                #expect(stolen.status == 409 && stolen.problem == "key-conflict", "\(stolen)")
                let other = try await server.send(opening(2), key: "k", token: ada)
                #expect(other.status == 409 && other.problem == "key-conflict", "\(other)")
                try await coordinator.kill()
                coordinator = try bank.coordinator(keys)
            }
            #expect(try await server.send(opening(2), key: "l", token: ada).body.contains(#""number":2"#))
        }

        @Test func eachTokenHasItsRightsUntilItIsRevoked() async throws {
            let (sender, reader) = (
                try await bank.token("sender", "send"), try await bank.token("reader", "read,models")
            )
            let list = try String(contentsOfFile: bank.folder.file("keys/allowed"), encoding: .utf8)
            #expect(!list.contains(sender) && list.contains("sender sha256:"))
            let coordinator = try bank.coordinator(["--keys", bank.folder.file("keys")])
            let server = try await server(of: coordinator)

            let stranger = try await server.ask("/loops/main")
            #expect(stranger.status == 401)
            #expect(stranger.problem == "token-missing")
            #expect(stranger.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
            for wrong in ["x", sender + "0", String(sender.dropLast()), ""] {
                #expect(try await server.ask("/loops/main", token: wrong).status == 401)
            }
            #expect(try await server.send(opening(1), token: sender).status == 200)
            #expect(try await server.send(opening(2), token: reader).problem == "forbidden")
            #expect(try await server.ask("/loops/main", token: sender).problem == "forbidden")
            #expect(try await server.ask("/loops", token: sender).problem == "forbidden")
            #expect(try await server.ask("/loops/main", token: reader).headers["event-number"] == "1")
            #expect(try await server.ask("/loops", token: reader).status == 200)
            // As the pages say: the token is in no command line.
            let shown = try TestProcess(
                "/bin/sh",
                [
                    "-c",
                    "sed 's/^/Authorization: Bearer /' \(bank.folder.file("keys/reader.token"))"
                        + " | curl -sf -H @- http://\(server.address)/loops",
                ])
            #expect(try await shown.end() == .exited(0), "\(shown.errors.elements)")
            #expect(try await server.ask("/openapi.json").status == 401)
            #expect(try await server.ask("/openapi.json", token: sender).status == 200)
            // Probes need none.
            #expect(try await server.ask("/readyz").status == 200)

            let watcher = try server.watch(token: reader)
            try await watcher.output.wait(for: "the model") { $0.contains { $0.hasPrefix("id: 1-") } }
            try await bank.keys("revoke", "reader")
            try await watcher.end()
            #expect(watcher.output.elements.contains("event: problem"))
            #expect(try await server.ask("/loops/main", token: reader).status == 401)
            #expect(try await server.send(opening(3), token: sender).status == 200)
        }

        @Test func withoutKeysItListensForThisMachineOnly() async throws {
            let coordinator = try bank.coordinator()
            try await coordinator.log("listening")
            let serve = try TestProcess(
                "mobius-serve", ["--connect", "\(bank.endpoint)-client", "--listen", "0.0.0.0:0"])
            #expect(try await serve.end() == .exited(78))
            #expect(serve.errors.elements.last?.contains("start the coordinators with --keys") == true)
        }

        @Test func aProxyNeedsKeys() async throws {
            let server = try await Server(of: try bank.coordinator())
            for header in [
                "Forwarded: for=10.0.0.1", "X-Forwarded-For: 10.0.0.1", "Via: 1.1 proxy",
                "x-real-ip: 10.0.0.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: fleet.example",
            ] {
                let refused = try await server.ask("/loops", "-H", header)
                #expect(refused.status == 403 && refused.problem == "not-served-here", "\(refused)")
            }
            for origin in ["null", "http://evil.example", "http://localhost", "https://\(server.address).evil.example"]
            {
                let asks = try await server.ask("/loops", "-H", "Origin: \(origin)")
                #expect(asks.status == 403 && asks.problem == "wrong-origin", "\(origin)")
                #expect(
                    try await server.send(opening(1), "-H", "Origin: \(origin)").problem == "wrong-origin", "\(origin)")
            }
            #expect(try await server.ask("/loops", "-H", "Origin: http://\(server.address)").status == 200)
            for host in ["127.0.0.+1", "127.0.0.1.", "[::1]x", "0x7f.0.0.1", "127.1"] {
                #expect(try await server.ask("/loops", "-H", "Host: \(host)").problem == "wrong-host", "\(host)")
            }
        }
    }
#endif
