import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Reads the body of an answer, as much of it as is wanted.
///
/// An answer that is dropped before its end closes its connection, so a short rest is read instead.
enum BodyReader {
    /// A body was larger than the limit.
    struct TooLarge: Error {}

    /// The whole body; throws ``TooLarge`` as soon as it is known to exceed `limit` bytes.
    static func all(of response: HTTPClientResponse, limit: Int) async throws -> ByteBuffer {
        var body = ByteBuffer()
        for try await var part in response.body {
            guard body.readableBytes + part.readableBytes <= limit else { throw TooLarge() }
            body.writeBuffer(&part)
        }
        return body
    }

    /// The first `limit` bytes of the body.
    static func beginning(of response: HTTPClientResponse, limit: Int) async throws -> ByteBuffer {
        var body = ByteBuffer()
        for try await part in response.body {
            body.writeImmutableBuffer(part)
            if body.readableBytes >= limit { return body.getSlice(at: body.readerIndex, length: limit) ?? body }
        }
        return body
    }

    /// Gets rid of a body that nobody wants: reads it when that is cheap, else closes the connection.
    static func discard(_ response: HTTPClientResponse, method: HTTPMethod, limit: Int) async {
        let announced = response.headers.first(name: "content-length").flatMap { Int($0) }
        guard method == .HEAD || announced.map({ $0 <= limit }) ?? false else { return }
        // The answer is known by now: a body that breaks off changes nothing about it.
        do { for try await _ in response.body {} } catch {}
    }
}
