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
        case let error as NIOSSLError: self = error.isBrokenOff ? .connectionFailed : .insecure
        case is NIOSSLExtraError, is BoringSSLError: self = .insecure
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
        case .tlsHandshakeTimeout: self = .timedOut
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

// MARK: - Whose fault it may be

extension FetchFailure {
    /// Whether a request that failed so, before its answer began, may do better on a connection of its own.
    ///
    /// One that could not be made at all, for want of an address or of trust, would not.
    static func mayBeTheConnections(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed || error == .uncleanShutdown
        case let error as NIOSSLError: error.isBrokenOff
        default: isOfThisExchange(error) && error is Deadline.Exceeded == false && !ContentCoding.isUnreadable(error)
        }
    }

    /// Whether a server was reached, so that it may answer another method better.
    static func isOfThisExchange(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is NIOConnectionError, is SocketAddressError: false
        case is NIOSSLExtraError, is BoringSSLError: false
        case let error as NIOSSLError: error.isBrokenOff
        case let error as HTTPClientError:
            switch error {
            case .cancelled, .alreadyShutdown, .invalidURL, .emptyHost, .emptyScheme, .connectTimeout,
                .tlsHandshakeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout:
                false
            default: true
            }
        default: true
        }
    }
}

extension NIOSSLError {
    /// Whether the connection ended without a good-bye: no word about trust.
    fileprivate var isBrokenOff: Bool { if case .uncleanShutdown = self { true } else { false } }
}
