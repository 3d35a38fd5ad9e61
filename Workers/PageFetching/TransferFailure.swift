import CLibCurl
import SiteAudit

/// The reason why a request has no answer.
struct TransferFailure: Error {
    var code: CURLcode
    /// The message of libcurl about it.
    var message = ""
    /// Whether some of the answer had come.
    var hasBegun = false
    /// Whether an earlier request had used the connection.
    var wasReused = false

    /// The failure as it is reported to the audit.
    var failure: FetchFailure {
        switch code {
        case CURLE_ABORTED_BY_CALLBACK, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_OUT_OF_MEMORY,
            CURLE_FAILED_INIT:
            .workerFailed
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_COULDNT_RESOLVE_HOST: .hostNotFound
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT: .connectionFailed
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            .insecure
        // libcurl has no codes for chunks that are none and for headers without end.
        case CURLE_RECV_ERROR where message.contains("chunked") || message.contains("headers"): .invalidAnswer
        case CURLE_OK, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM:
            hasBegun ? .brokenOff : .connectionFailed
        default: .invalidAnswer
        }
    }

    /// Whether a server was reached, so that it may answer another method better.
    var isOfThisExchange: Bool {
        switch failure {
        case .hostNotFound, .insecure, .workerFailed: false
        default: code != CURLE_COULDNT_RESOLVE_PROXY && code != CURLE_COULDNT_CONNECT
        }
    }

    /// Whether the request may do better on a connection of its own: servers close idle connections when they like, and what
    /// an earlier answer left behind is no answer.
    var mayBeTheConnections: Bool { wasReused && hasBegun == false && isOfThisExchange && failure != .timedOut }
}
