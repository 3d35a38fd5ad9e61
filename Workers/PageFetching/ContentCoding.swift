import NIOHTTP1
import NIOHTTPCompression

/// The forms in which bodies travel (RFC 9110, 8.4).
enum ContentCoding {
    /// The body has a form that nobody asked for and that cannot be read.
    struct Unknown: Error {}

    /// Throws ``Unknown`` unless the client has inflated the body, or there was nothing to inflate.
    static func check(_ headers: HTTPHeaders) throws {
        let codings = headers[canonicalForm: "content-encoding"].map { $0.lowercased() }.filter { !$0.isEmpty }
        switch codings {
        case [], ["identity"], ["gzip"], ["deflate"]: return
        default: throw Unknown()
        }
    }

    /// Whether an error says that a body is not in the form that its answer names.
    ///
    /// One that becomes too large is in that form.
    static func isUnreadable(_ error: any Error) -> Bool {
        switch error {
        case is Unknown, is NIOHTTPDecompression.ExtraDecompressionError: true
        case let error as NIOHTTPDecompression.DecompressionError: error != .limit
        default: false
        }
    }
}
