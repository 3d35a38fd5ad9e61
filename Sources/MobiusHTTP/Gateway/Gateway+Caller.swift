#if HTTP
    import HTTPTypes
    import Hummingbird
    import MobiusWire

    // Who asks.
    extension Gateway {
        /// - Throws: ``Problem`` when nobody may ask here, and for a token that is missing or unknown.
        func caller(of request: Request) async throws(Problem) -> LoopCaller {
            switch service.access {
            case .thisMachine(let isUnmasked):
                try Self.checkPlace(of: request)
                return LoopCaller(token: "", isMasked: !isUnmasked)
            case .tokens:
                if let token = try Self.bearer(of: request) { return LoopCaller(token: token, isMasked: false) }
                return try await callerOfCookie(in: request)
            }
        }

        /// Refuses what other machines or pages of other sites have asked, as far as a request tells.
        private static func checkPlace(of request: Request) throws(Problem) {
            let authority = request.head.authority
            // A page in a browser could give a name of its own to this machine's address, and read what is here.
            guard LoopbackName.isOne(authority ?? "") else {
                throw Problem(
                    .wrongHost, "Without tokens the Host of a request is localhost, 127.0.0.1 or [::1], with the port.")
            }
            // What a proxy passes on is from other machines.
            if let field = request.headers.first(where: { isOfProxy($0.name) }) {
                throw Problem(
                    .notServedHere,
                    "A request with the header \(field.name) comes from elsewhere, and without keys loops are served to this machine "
                        + "only: a proxy needs a fleet with keys.")
            }
            if let origin = request.headers[.origin], !TokenCookie.isOf(authority, origin) {
                throw Problem(.wrongOrigin, "Without keys only pages of this server may ask it.")
            }
        }

        private static func isOfProxy(_ name: HTTPField.Name) -> Bool {
            let name = name.canonicalName
            return ["forwarded", "via", "x-real-ip"].contains(name) || name.hasPrefix("x-forwarded-")
        }

        /// The token of the header; `nil` without one, also when the header is of another scheme, such as a proxy's.
        static func bearer(of request: Request) throws(Problem) -> String? {
            let words = (request.headers[.authorization] ?? "").split(separator: " ")
            guard words.first?.lowercased() == "bearer" else { return nil }
            guard words.count == 2, words[1].utf8.count <= 255 else {
                throw Problem(.tokenUnknown, "This is no token of `mobius keys token`.")
            }
            return String(words[1])
        }

        /// The caller whose token is in a cookie: other programs of the host may have set one of the same name, so each is tried.
        private func callerOfCookie(in request: Request) async throws(Problem) -> LoopCaller {
            let authority = request.head.authority
            let tokens = TokenCookie.tokens(in: request.headers[.cookie], of: authority)
            guard let first = tokens.first else {
                throw Problem(.tokenMissing, "Send a token of `mobius keys token`: Authorization: Bearer TOKEN.")
            }
            let isRead = request.method == .get || request.method == .head
            guard
                TokenCookie.isOfOurs(
                    site: request.headers[.secFetchSite], origin: request.headers[.origin], authority: authority,
                    isRead: isRead)
            else {
                throw Problem(.wrongOrigin, "A cookie counts in requests of this server's own pages only.")
            }
            if tokens.count > 1 {
                for token in tokens {
                    let caller = LoopCaller(token: token, isMasked: false)
                    do throws(Problem) {
                        _ = try await rights.rights(of: caller, from: service)
                        return caller
                    } catch  where error.code == .tokenUnknown {
                        continue
                    }
                }
            }
            return LoopCaller(token: first, isMasked: false)
        }
    }
#endif
