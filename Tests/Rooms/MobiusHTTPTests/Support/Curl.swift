#if HTTP
    import FleetTestSupport
    import Foundation

    /// What an HTTP server answers to curl.
    struct Reply {
        let status: Int
        /// By name in lower case.
        let headers: [String: String]
        let body: String

        /// The body as a JSON object; empty for any other.
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]) ?? [:]
        }

        /// The code of a problem; `nil` when it is none.
        var problem: String? {
            headers["content-type"] == "application/problem+json" ? json["code"] as? String : nil
        }
    }

    /// The loops of a fleet over HTTP, asked for by curl.
    struct Server {
        let serve: ServeProcess
        var address: String { serve.address }

        /// A new server beside a coordinator.
        init(of coordinator: TestProcess, listen: String = "127.0.0.1:0", _ options: String...) async throws {
            try await coordinator.log("listening")
            let line = coordinator.errors.elements.last { $0.contains("listening") } ?? ""
            let clients = line.split(separator: " ").first { $0.hasPrefix("clients=") }?.dropFirst("clients=".count)
            serve = try await ServeProcess(of: String(clients ?? ""), listen: listen, options)
        }

        /// The pages of a file that `mobius export` has written.
        init(viewing file: String) async throws {
            serve = try await ServeProcess(viewing: file)
        }

        /// Asks for a path.
        func ask(_ path: String, _ options: String..., token: String? = nil) async throws -> Reply {
            let curl = try TestProcess(
                "/usr/bin/curl", ["-si", "--path-as-is"] + options + authorized(token) + [url(path)])
            try await curl.end()
            return Self.reply(curl.output.elements)
        }

        /// Sends an event.
        func send(
            _ event: String, to loop: String = "main", key: String? = nil, query: String = "", token: String? = nil,
            _ options: String...
        ) async throws -> Reply {
            let curl = try TestProcess(
                "/usr/bin/curl",
                ["-si", "-H", "Content-Type: application/json", "-d", event]
                    + (key.map { ["-H", "Idempotency-Key: \($0)"] } ?? []) + options + authorized(token)
                    + [url("/loops/\(loop)/events\(query)")])
            try await curl.end()
            return Self.reply(curl.output.elements)
        }

        /// Watches a loop's models; the lines of the stream are the process's output.
        func watch(_ loop: String = "main", after id: String? = nil, token: String? = nil) throws -> TestProcess {
            try TestProcess(
                "/usr/bin/curl",
                ["-sN"] + (id.map { ["-H", "Last-Event-ID: \($0)"] } ?? []) + authorized(token)
                    + [url("/loops/\(loop)/models")])
        }

        private func url(_ path: String) -> String { "http://\(address)\(path)" }

        private func authorized(_ token: String?) -> [String] {
            token.map { ["-H", "Authorization: Bearer \($0)"] } ?? []
        }

        private static func reply(_ lines: [String]) -> Reply {
            let lines = lines.map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
            // Before the response may be `100 Continue`.
            let start = lines.lastIndex { $0.hasPrefix("HTTP/1.1 ") } ?? 0
            let status = lines.isEmpty ? 0 : Int(lines[start].split(separator: " ").dropFirst().first ?? "") ?? 0
            let end = lines[start...].firstIndex(of: "") ?? lines.endIndex
            var headers: [String: String] = [:]
            for line in lines[start..<end].dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                    in: .whitespaces)
            }
            return Reply(status: status, headers: headers, body: lines[end...].dropFirst().joined(separator: "\n"))
        }
    }

    /// The event that opens an account of the bank.
    func opening(_ account: Int, _ balance: Int = 100) -> String {
        #"{"accountOpened":{"_0":\#(account),"balance":\#(balance)}}"#
    }
#endif
