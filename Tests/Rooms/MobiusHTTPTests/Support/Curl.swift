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

    /// A coordinator's server, asked by curl.
    struct Server {
        let address: String

        /// The address that the process says it serves at.
        init(of process: TestProcess) async throws {
            try await process.log("serving probes and metrics")
            try await process.log("listening")
            let line = process.errors.elements.last { $0.contains("serving probes and metrics") } ?? ""
            func value(_ name: String) -> Substring {
                line.split(separator: " ").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1) ?? ""
            }
            address = "\(value("address").replacing("0.0.0.0", with: "127.0.0.1")):\(value("port"))"
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
