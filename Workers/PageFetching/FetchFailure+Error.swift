import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SiteAudit

extension FetchFailure {
    /// The failure that an error of the HTTP client stands for.
    init(_ error: any Error) {
        switch error {
        case is Deadline.Exceeded: self = .timedOut
        case is CancellationError: self = .workerFailed
        case is BodyReader.TooLarge: self = .invalidAnswer
        case let error as HTTPParserError: self = error == .invalidEOFState ? .connectionFailed : .invalidAnswer
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self = .insecure
        case let error as HTTPClientError: self.init(client: error)
        case let error as NIOConnectionError: self.init(connection: error)
        case is IOError, is ChannelError, is SocketAddressError: self = .connectionFailed
        // What else a pipeline throws is about the bytes it was given: broken compression, a broken frame.
        default: self = .invalidAnswer
        }
    }

    private init(client error: HTTPClientError) {
        switch error {
        case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout:
            self = .timedOut
        case .tlsHandshakeTimeout: self = .insecure
        case .remoteConnectionClosed, .uncleanShutdown: self = .connectionFailed
        case .cancelled, .alreadyShutdown, .invalidURL, .emptyHost, .emptyScheme: self = .workerFailed
        default: self = .invalidAnswer
        }
    }

    /// No address at all is another thing than an address that does not answer.
    private init(connection error: NIOConnectionError) {
        if error.connectionErrors.isEmpty {
            self = .hostNotFound
        } else if error.connectionErrors.contains(where: { $0.error is NIOSSLError || $0.error is NIOSSLExtraError }) {
            self = .insecure
        } else {
            self = .connectionFailed
        }
    }
}
