#if HTTP
    import CDashboard
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import NIOCore

    /// The dashboard: pages for people at `/`, which ask for everything by the routes that all clients have.
    ///
    /// Its files are the same for everyone and contain nothing of a fleet, so they need no token.
    enum Dashboard {
        private struct File {
            let type: String
            let bytes: [UInt8]
            let tag: String
        }

        private static let files: [String: File] = {
            var count = 0
            let files = UnsafeBufferPointer(start: dashboardFiles(&count), count: count)
            return Dictionary(
                uniqueKeysWithValues: files.map { file in
                    let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
                    let type = String(cString: file.type)
                    return (String(cString: file.path), File(type: type, bytes: bytes, tag: tag(of: bytes)))
                })
        }()

        /// Nothing but files of this server, none of them inline, and no text that becomes markup.
        private static let policy =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

        /// The response with a file; `nil` when the path is not one of the dashboard's.
        static func response(to request: Request, on channel: any Channel, _ budget: ByteBudget) -> Response? {
            guard request.method == .get || request.method == .head, let file = files[request.uri.path] else {
                return nil
            }
            var headers: HTTPFields = [
                .eTag: file.tag, .cacheControl: "no-cache", .contentSecurityPolicy: policy,
                .referrerPolicy: "no-referrer", .crossOriginOpenerPolicy: "same-origin",
            ]
            if let known = request.headers[.ifNoneMatch], known.split(separator: ", ").contains(Substring(file.tag)) {
                return Response(status: .notModified, headers: headers)
            }
            headers[.contentType] = file.type
            guard let body = ResponseBody.paced(file.bytes, on: channel, budget) else {
                return Problem.unreadResponses.response
            }
            return Response(status: .ok, headers: headers, body: body)
        }

        /// FNV-1a, 64 bits (Fowler, Noll and Vo).
        private static func tag(of bytes: [UInt8]) -> String {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return "\"\(String(hash, radix: 16))\""
        }
    }
#endif
