#if HTTP
    import BankFleet
    import FleetTestSupport
    import Foundation
    import MobiusHTTP
    import MobiusProcess
    import TestTraits
    import Testing

    /// Clients that do not behave.
    @Suite(.patient, .ownThread)
    struct HostileHTTPTests {
        private let bank: BankProcesses

        init() throws {
            bank = try BankProcesses()
        }

        @Test func aBodyThatIsCutOffIsNotApplied() async throws {
            let server = try await Server(of: try bank.coordinator())
            let head = "POST /loops/main/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            let event = opening(1)
            for rest in [
                "Content-Length: \(event.utf8.count + 10)\r\n\r\n\(event)",
                "Transfer-Encoding: chunked\r\n\r\n\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n",
            ] {
                for isHalf in [true, false] {
                    let connection = try RawConnection(server.address)
                    connection.write(head + rest)
                    if isHalf {
                        connection.finish()
                        #expect(!connection.readToEnd().contains(" 200 "))
                    }
                }
            }
            #expect(try await server.ask("/loops/main").headers["event-number"] == "0")
        }

        @Test(arguments: [false, true]) func anEndlessBodyThatNobodyReadsEndsItsConnection(hasKeys: Bool) async throws {
            let server = try await LocalServer(access: hasKeys ? .tokens : .thisMachine(isUnmasked: false)) { _ in }
            for line in [
                "DELETE /session", "POST /session", "GET /session", "PUT /loops", "GET /loops/main", "GET /",
                "GET /livez", "POST /none",
            ] {
                let connection = try await server.begin(line, ["Transfer-Encoding: chunked"], isWhole: false)
                let isOver = try await onThread {
                    let wait = PatientWait()
                    while !wait.isOver {
                        connection.write("1\r\nx\r\n")
                        connection.waitForSomething(milliseconds: 5)
                        if connection.read() == nil { return true }
                    }
                    return false
                }
                #expect(isOver, "\(line)")
            }
        }

        @Test func headersHaveALimit() async throws {
            let server = try await Server(of: try bank.coordinator())
            let long = String(repeating: "x", count: 20_000)
            let requests = [
                "GET /loops/\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /loops HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n",
                "GET /loops HTTP/1.1\r\n" + (0..<200).map { "H\($0): 1\r\n" }.joined() + "\r\n",
                "\u{0}\u{1}garbage\r\n\r\n",
            ]
            for request in requests {
                let connection = try RawConnection(server.address)
                connection.write(request)
                connection.finish()
                #expect(!connection.readToEnd().contains(" 200 "))
            }
            #expect(try await server.ask("/loops").status == 200)
        }

        @Test func idleConnectionsKeepNobodyOut() async throws {
            OpenFiles.raiseLimit()
            let server = try await Server(of: try bank.coordinator())
            let idle = try (0..<1200).map { number in
                let connection = try RawConnection(server.address)
                if number.isMultiple(of: 2) { connection.write("GET /loops HTTP/1.1\r\nHost: lo") }
                return connection
            }
            #expect(try await server.ask("/readyz").status == 200)
            #expect(try await server.send(opening(1)).status == 200)
            withExtendedLifetime(idle) {}
        }

        @Test func aSlowReaderMissesModelsButNeverTheLast() async throws {
            let coordinator = try bank.coordinator()
            let server = try await Server(of: coordinator)
            let watcher = try server.watch()
            try await watcher.output.wait(for: "the first model") { $0.contains { $0.hasPrefix("id: 0-") } }
            watcher.signal(SIGSTOP)
            // The models have 2.4 MB at the end, and 30 MB together. No more: the server has 30 s to write one.
            let count = 24
            for number in 1...count {
                let id = String(repeating: "x", count: 100_000) + "\(number)"
                let event =
                    #"{"transferRequested":{"_0":{"id":"\#(id)","route":[1,2],"amount":1,"wantsLetter":false,"isWatched":false}}}"#
                // The accounts do not exist: the bank refuses each transfer, and remembers it.
                #expect(try await server.send(event).status == 422)
            }
            watcher.signal(SIGCONT)
            try await watcher.output.wait(for: "the last model") { $0.contains { $0.hasPrefix("id: \(count)-") } }
            let ids = watcher.output.elements.filter { $0.hasPrefix("id: ") }.count
            #expect(ids < count)
            for process in [coordinator, server.serve.process] {
                let status = try? String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)
                if let peak = status?.firstMatch(of: /VmHWM:\s+(\d+)/).flatMap({ Int($0.1) }) {
                    #expect(peak < 300_000)
                }
            }
        }
    }
#endif
