#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import MobiusProcess
    import MobiusWire

    extension Gateway {
        /// `GET /session`: the caller's name and rights, and the time of the export if it shows one.
        func session(_ request: Request, _ caller: LoopCaller) async throws(Problem) -> Response {
            _ = try QueryParameters(request.uri.query, known: [])
            let answer = try await ask(.rights, caller)
            guard case .rights(let rights) = answer else { throw Problem(answer) }
            var line = JSONLine(rights)
            line.set("exported", service.exported)
            return .json(line.text)
        }

        /// `POST /session`: keeps the token of this request in a cookie, for pages in a browser.
        ///
        /// The server keeps nothing, so the cookie is as good at any other server of the fleet.
        func login(_ request: Request, _ caller: LoopCaller) async throws(Problem) -> Response {
            guard service.access == .tokens, try Self.bearer(of: request) != nil else {
                throw Problem(.invalidRequest, "There is no token to keep: send one as Authorization: Bearer TOKEN.")
            }
            var response = try await session(request, caller)
            let isSecure = request.headers[.origin]?.hasPrefix("https://") == true
            response.headers[.setCookie] = TokenCookie.header(
                caller.token, of: request.head.authority, isSecure: isSecure)
            return response
        }

        /// `DELETE /session`: forgets the token.
        func logout(_ request: Request) -> Response {
            var headers = HTTPFields()
            headers[values: .setCookie] = [false, true].map { isSecure in
                TokenCookie.header("", of: request.head.authority, isSecure: isSecure) + "; Max-Age=0"
            }
            return Response(status: .noContent, headers: headers)
        }
    }

    /// The cookie with a token, which no script can read and no other site can send.
    ///
    /// All ports of a host share their cookies, so its name has the port of the authority that a browser asks.
    package enum TokenCookie {
        /// Tokens that are tried.
        private static let most = 8

        private static func name(_ authority: String?, isSecure: Bool) -> String {
            let port = (authority ?? "").split(separator: ":").last ?? ""
            let isPort =
                authority?.contains(":") == true && port.utf8.count <= 5
                && port.utf8.allSatisfy { (48...57).contains($0) }
            return (isSecure ? "__Host-" : "") + "mobius-token" + (isPort ? "-\(port)" : "")
        }

        static func header(_ token: String, of authority: String?, isSecure: Bool) -> String {
            "\(name(authority, isSecure: isSecure))=\(token); HttpOnly; SameSite=Strict; Path=/\(isSecure ? "; Secure" : "")"
        }

        /// What may be a token in the field `Cookie` of a request: first what came over TLS, which nothing else of the host can set.
        package static func tokens(in field: String?, of authority: String?) -> [String] {
            let names = [true, false].map { name(authority, isSecure: $0) }
            var found: [[String]] = [[], []]
            for pair in (field ?? "").split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let place = names.firstIndex(of: String(parts[0])) else { continue }
                let value = parts[1].utf8
                guard value.count <= 255, value.allSatisfy({ (0x21...0x7E).contains($0) }) else { continue }
                found[place].append(String(parts[1]))
            }
            return Array(found.joined().prefix(most))
        }

        /// Whether a request with a cookie was made by a page of the server itself, as far as its browser tells.
        ///
        /// Browsers tell it in `Sec-Fetch-Site`, but not to plain HTTP on other machines; there `Origin` names the page that sends
        /// something, and what only reads needs no proof, because no other page gets its answer.
        package static func isOfOurs(site: String?, origin: String?, authority: String?, isRead: Bool) -> Bool {
            if let site { return site == "same-origin" || isRead && site == "none" }
            return origin.map { isOf(authority, $0) } ?? isRead
        }

        /// Whether the authority of a request is that of a page's origin.
        static func isOf(_ authority: String?, _ origin: String) -> Bool {
            guard let scheme = origin.firstRange(of: "://") else { return false }
            return origin[scheme.upperBound...].lowercased() == authority?.lowercased()
        }
    }
#endif
