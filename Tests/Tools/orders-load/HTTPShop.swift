import Foundation
import Orders
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The shop over HTTP, as a program in any language reaches it: POST with an `Idempotency-Key`, and server-sent events.
struct HTTPShop: Shop {
    private let session: URLSession
    private let streams = ModelStreams()
    private let base: String
    private let patience: Duration

    /// - Parameters:
    ///   - base: Such as `http://127.0.0.1:9464`.
    ///   - connections: How many requests and streams may be open at once.
    ///   - patience: How long the shop may stay away.
    init(_ base: String, connections: Int, patience: Duration) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration, delegate: streams, delegateQueue: nil)
        self.base = base
        self.patience = patience
    }

    func close() { session.invalidateAndCancel() }

    func send(_ event: Order.Event, to loop: String, key: String) async throws -> Reply {
        let body = try JSONEncoder().encode(event)
        return try await persistently {
            var request = URLRequest(url: try url("/loops/\(Self.percentEncoded(loop))/events"), timeoutInterval: 30)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
            request.httpBody = body
            let (answer, response) = try await session.data(for: request)
            switch response.status {
            case 200: return .applied(try JSONDecoder().decode(Confirmation.self, from: answer).answer)
            case 422: return .refused(try JSONDecoder().decode(Problem.self, from: answer).detail)
            default: throw Self.failure(response.status, answer)
            }
        }
    }

    /// Reads the stream of models until one is an end; a stream that breaks off is opened again.
    func end(of loop: String) async throws -> Saga {
        try await persistently {
            var request = URLRequest(url: try url("/loops/\(Self.percentEncoded(loop))/models"))
            request.timeoutInterval = patience / .seconds(1)
            request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
            let task = session.dataTask(with: request)
            defer { task.cancel() }
            var lines = LineSplitter()
            for try await part in streams.open(task) {
                guard task.response?.status == 200 else { throw Self.failure(task.response?.status ?? 0, part) }
                for line in lines.consume(part) where line.hasPrefix("data: ") {
                    let model = try JSONDecoder().decode(Order.Model.self, from: Data(line.dropFirst(6).utf8))
                    if case .order(let saga) = model, saga.stage.isEnd { return saga }
                }
            }
            throw Again(reason: "the stream of \(loop) ended")
        }
    }

    private func url(_ path: String) throws -> URL {
        guard let url = URL(string: base + path) else { throw LoadError("\(base)\(path) is no URL") }
        return url
    }

    // MARK: - Answers

    private struct Confirmation: Decodable { var answer: Receipt? }
    private struct Problem: Decodable { var detail: String }
    /// An outcome that nobody knows, or none: the same request may be sent again under its key.
    private struct Again: Error { var reason: String }

    private static func failure(_ status: Int, _ body: Data) -> any Error {
        let detail = (try? JSONDecoder().decode(Problem.self, from: body).detail) ?? "status \(status)"
        // Such as 404 of a stream whose coordinator is not up to date yet: never for an order that was answered.
        return status >= 500 ? Again(reason: detail) : LoadError("The gateway answers \(status): \(detail)")
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

extension URLResponse {
    /// The status of an answer over HTTP.
    fileprivate var status: Int { (self as? HTTPURLResponse)?.statusCode ?? 0 }
}

/// The bodies of answers, part by part as they come.
private final class ModelStreams: NSObject, URLSessionDataDelegate {
    private typealias Parts = AsyncThrowingStream<Data, any Error>

    private let open = Mutex<[Int: Parts.Continuation]>([:])

    /// Begins the task.
    func open(_ task: URLSessionDataTask) -> AsyncThrowingStream<Data, any Error> {
        let (parts, continuation) = Parts.makeStream()
        open.withLock { $0[task.taskIdentifier] = continuation }
        task.resume()
        return parts
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        _ = open.withLock { $0[dataTask.taskIdentifier] }?.yield(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        open.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.finish(throwing: error)
    }
}

/// Cuts a stream of bytes into lines.
struct LineSplitter {
    private var rest: [UInt8] = []

    /// The lines that end within these bytes.
    mutating func consume(_ bytes: some Sequence<UInt8>) -> [String] {
        rest += bytes
        var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(lines.removeLast())
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}
