import ArgumentParser

/// A ZeroMQ endpoint, as a stream socket sees it.
enum Endpoint: Sendable {
    case tcp(host: String, port: Int)
    case ipc(path: String)

    init(_ text: String) throws {
        if text.hasPrefix("ipc://") {
            self = .ipc(path: String(text.dropFirst(6)))
        } else if let match = text.wholeMatch(of: /tcp:\/\/([^:]+):([0-9]+)/), let port = Int(match.2) {
            self = .tcp(host: String(match.1), port: port)
        } else {
            throw ValidationError("\(text) is neither tcp://HOST:PORT nor ipc://PATH.")
        }
    }
}
