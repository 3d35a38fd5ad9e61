#if HTTP
    import HTTPTypes
    import Hummingbird
    import HummingbirdCore
    import NIOCore

    extension Response {
        /// Returns the response of a probe.
        static func probe(_ failure: String?) -> Response {
            failure.map { .text(.serviceUnavailable, "no: \($0)\n") } ?? .text(.ok, "ok\n")
        }

        /// A text.
        static func text(
            _ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8",
            headers: HTTPFields = [:]
        ) -> Response {
            var headers = headers
            headers[.contentType] = type
            return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
        }

        /// A JSON text.
        static func json(
            _ text: String, _ status: HTTPResponse.Status = .ok, type: String = "application/json",
            headers: HTTPFields = [:]
        ) -> Response {
            .text(status, text + "\n", type: type, headers: headers)
        }

        /// Ends the connection after the response, because the body of its request was not read.
        func endingConnection(of channel: any Channel) -> Response {
            var response = self
            response.headers[.connection] = "close"
            let body = response.body
            response.body = ResponseBody(contentLength: body.contentLength) { writer in
                try await body.write(writer)
                // Closing at once would reset the connection, and the client would lose the response.
                channel.close(mode: .output, promise: nil)
                channel.eventLoop.scheduleTask(in: HTTPLimits.farewell) { channel.close(promise: nil) }
            }
            return response
        }
    }
#endif
