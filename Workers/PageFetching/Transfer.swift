import CLibCurl
import SiteAudit

/// One request and its answer, without redirects.
///
/// It belongs to the task that made it, but to the thread of ``TransferLoop`` while it runs.
final class Transfer: @unchecked Sendable {
    /// The part of the body that is wanted of an answer with status 200…299.
    enum Reading {
        case nothing, page, robots
    }

    /// The coding in which the body is delivered.
    enum Coding {
        /// In any coding that libcurl can undo, which it does.
        case decoded
        /// Plainly; if the server codes it all the same, it is left so.
        case asSent
    }

    /// The parameters of a transfer.
    struct Request {
        var url: String
        var isHead = false
        var reading = Reading.nothing
        var coding = Coding.asSent
        var credentials: String?
        var cookies: [String] = []
        var trust = Trust()
        var isOnFreshConnection = false
        /// From its begin to the last byte that is wanted.
        var timeout = Duration.zero
    }

    let request: Request
    private let limits: FetchLimits
    /// Resumed at the end.
    var continuation: CheckedContinuation<Void, Never>?
    /// Set while it runs.
    private(set) var handle: EasyHandle?

    private(set) var head = ResponseHead()
    private(set) var body: [UInt8] = []
    /// The cookies that are known after an answer that set some; otherwise `nil`.
    private(set) var cookies: [String]?
    /// The reason why the rest of the body was not wanted any more.
    private(set) var ending: Ending?
    private(set) var result = CURLE_OK
    /// The message of libcurl about a failure.
    private(set) var message = ""
    /// Whether the request was made on a connection that an earlier one had used.
    private(set) var wasReused = false

    /// Whether the body is wanted: the answer is a good one, and may be a page where a page is.
    private(set) var wantsBody = false
    /// The length of the body as it was sent.
    private var size = 0
    private var isHTML = false

    /// The reason why a transfer may end before its body does.
    enum Ending {
        /// The rest of the body changes nothing about the answer.
        case enough
        /// The body is larger than the limit, or inflates too far.
        case tooLarge
    }

    /// The most that libcurl reads at once.
    static let bufferSize = 32 << 10

    private static let html = Array("<html>".utf8)

    init(_ request: Request, limits: FetchLimits) {
        self.request = request
        self.limits = limits
    }

    /// The failure, if there is no answer to work with.
    var failure: TransferFailure? {
        guard ending == nil, result != CURLE_OK || head.isComplete == false else { return nil }
        return TransferFailure(code: result, message: message, hasBegun: head.hasBegun, wasReused: wasReused)
    }

    /// Whether libcurl could not undo the coding of a body that is wanted.
    var isUnreadable: Bool {
        guard request.coding == .decoded, wantsBody, ending == nil else { return false }
        switch result {
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: return true
        // The beginning of a coded body is no error.
        case CURLE_OK: return body.isEmpty && size > 0
        default: return false
        }
    }

    /// The body in no coding, or its beginning and why it is not read.
    var readableBody: (bytes: [UInt8], unread: FetchAnswer.Unread?) {
        if ending == .tooLarge { return (body, .tooLarge) }
        guard request.coding == .asSent, wantsBody else { return (body, nil) }
        return switch ContentCoding.decode(body, codings: head.codings, limits: limits) {
        case .bytes(let bytes): (bytes, nil)
        case .tooLarge: ([], .tooLarge)
        case .unreadable: ([], .coding)
        }
    }

    // MARK: - On the thread of the loop

    func begin(with handle: EasyHandle) -> CURLcode {
        self.handle = handle
        handle.errorText.pointee = 0
        return setOptions(of: handle)
    }

    func end(_ result: CURLcode) {
        self.result = result
        if let handle {
            if result != CURLE_OK { message = handle.message(of: result) }
            size = received
            if request.reading == .page, ending == nil, body.count > limits.inflation * size { ending = .tooLarge }
            wasReused = clibcurl_number(handle.easy, CURLINFO_NUM_CONNECTS) == 0
            if head.setsCookies { cookies = Self.cookies(of: handle.easy) }
        }
        handle = nil
        // From here on it is the task's.
        continuation?.resume()
    }

    /// Takes a line of the head, or of a trailer; returns whether the transfer goes on.
    func receive(line: UnsafeRawBufferPointer) -> Bool {
        guard let handle, head.receive(line) else { return true }
        head.status = clibcurl_number(handle.easy, CURLINFO_RESPONSE_CODE)
        // An informational answer is followed by another; one to HEAD has no body.
        guard head.status >= 200, request.isHead == false else { return true }
        wantsBody = isBodyWanted
        if wantsBody {
            body.reserveCapacity(min(head.contentLength ?? 0, limits.pageBytes, 1 << 20))
            return true
        }
        ending = .enough
        // Dropping an answer before its end closes its connection, so a short body is read instead.
        return head.contentLength.map { $0 <= limits.drainedBytes } ?? (head.status == 204 || head.status == 304)
    }

    /// Takes a part of the body; returns whether the transfer goes on.
    func receive(body part: UnsafeRawBufferPointer) -> Bool {
        guard wantsBody else { return true }
        if request.reading == .robots {
            body.append(contentsOf: part.prefix(limits.robotsBytes - body.count))
            if body.count >= limits.robotsBytes { ending = .enough }
            return ending == nil
        }
        let count = body.count + part.count
        // libcurl counts what it has read when it has handed it over.
        guard count <= limits.pageBytes, count <= limits.inflation * (received + Self.bufferSize) else {
            ending = .tooLarge
            return false
        }
        body.append(contentsOf: part)
        if isHTML == false, request.coding == .decoded, count >= MediaType.sniffedBytes {
            isHTML = body.withUnsafeBytes { head.mediaType(beginning: $0)?.isHTML ?? false }
            if isHTML == false { ending = .enough }
        }
        return ending == nil
    }

    /// The number of bytes that have come in, as they were sent.
    private var received: Int { handle.map { Int(clibcurl_size($0.easy, CURLINFO_SIZE_DOWNLOAD_T)) } ?? 0 }

    private var isBodyWanted: Bool {
        guard (200...299).contains(head.status) else { return false }
        return switch request.reading {
        case .nothing: false
        case .robots: true
        // Without a type the beginning of the body decides.
        case .page: Self.html.withUnsafeBytes { head.mediaType(beginning: $0)?.isHTML ?? false }
        }
    }
}
