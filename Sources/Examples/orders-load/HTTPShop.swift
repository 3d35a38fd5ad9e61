import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Orders

/// The shop over HTTP, as a program in any language reaches it: POST with an `Idempotency-Key`, and server-sent events.
struct HTTPShop: Shop {
    private let client: HTTPClient
    private let base: String
    private let patience: Duration

    /// - Parameters:
    ///   - base: Such as `http://127.0.0.1:9464`.
    ///   - connections: How many requests and streams may be open at once.
    ///   - patience: How long the shop may stay away.
    init(_ base: String, connections: Int, patience: Duration) {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.base = base
        self.patience = patience
    }

    func close() async throws { try await client.shutdown() }

    func send(_ event: Orders.Event, to loop: String, key: String) async throws -> Reply {
        let body = try JSONEncoder().encode(event)
        return try await persistently {
            var request = HTTPClientRequest(url: "\(base)/loops/\(Self.percentEncoded(loop))/events")
            request.method = .POST
            request.headers.add(name: "content-type", value: "application/json")
            request.headers.add(name: "idempotency-key", value: key)
            request.body = .bytes(ByteBuffer(bytes: body))
            let response = try await client.execute(request, timeout: .seconds(30))
            let answer = Data((try await response.body.collect(upTo: 1 << 20)).readableBytesView)
            switch response.status.code {
            case 200: return .applied(try JSONDecoder().decode(Confirmation.self, from: answer).answer)
            case 422: return .refused(try JSONDecoder().decode(Problem.self, from: answer).detail)
            default: throw try Self.failure(response.status, answer)
            }
        }
    }

    /// Reads the stream of models until one is an end; a stream that breaks off is opened again.
    func end(of loop: String) async throws -> Saga {
        try await persistently {
            var request = HTTPClientRequest(url: "\(base)/loops/\(Self.percentEncoded(loop))/models")
            request.headers.add(name: "accept", value: "text/event-stream")
            // A deadline for the whole stream: AsyncHTTPClient's counts until the end of the body.
            let response = try await client.execute(
                request, deadline: .now() + .nanoseconds(Int64(patience / .nanoseconds(1))))
            guard response.status == .ok else {
                throw try Self.failure(
                    response.status, Data((try await response.body.collect(upTo: 1 << 20)).readableBytesView))
            }
            var lines = LineSplitter()
            for try await part in response.body {
                for line in lines.take(part.readableBytesView) where line.hasPrefix("data: ") {
                    let model = try JSONDecoder().decode(Orders.Model.self, from: Data(line.dropFirst(6).utf8))
                    if case .order(let saga) = model, saga.stage.isEnd { return saga }
                }
            }
            throw Again(reason: "the stream of \(loop) ended")
        }
    }

    // MARK: - Answers

    private struct Confirmation: Decodable { var answer: Receipt? }
    private struct Problem: Decodable { var detail: String }
    /// An outcome that nobody knows, or none: the same request may be sent again under its key.
    private struct Again: Error { var reason: String }

    private static func failure(_ status: HTTPResponseStatus, _ body: Data) throws -> any Error {
        let detail = (try? JSONDecoder().decode(Problem.self, from: body).detail) ?? "\(status)"
        // Such as 404 of a stream whose coordinator is not up to date yet: never for an order that was answered.
        return status.code >= 500 ? Again(reason: detail) : LoadError("The gateway answers \(status.code): \(detail)")
    }

    /// Tries until it works; a gateway that has been away for longer than the patience is an error.
    private func persistently<Value>(_ attempt: () async throws -> Value) async throws -> Value {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try await attempt()
            } catch let error as LoadError {
                throw error
            } catch let error as DecodingError {
                throw LoadError("The gateway's answer cannot be read: \(error)")
            } catch {
                try Task.checkCancellation()
                let reason = (error as? Again)?.reason ?? "\(error)"
                guard ContinuousClock.now < deadline else {
                    throw LoadError("\(base) gave no answer for \(patience): \(reason)")
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    static func percentEncoded(_ loop: String) -> String {
        loop.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? loop
    }
}

/// Cuts a stream of bytes into lines.
struct LineSplitter {
    private var rest: [UInt8] = []

    /// The lines that end within these bytes.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
        rest += bytes
        var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(lines.removeLast())
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}
