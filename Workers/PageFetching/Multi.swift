import CLibCurl
import Foundation

/// libcurl's multi handle with its transfers, and the easy handles that wait to be used again; for one thread.
struct Multi {
    private let multi: UnsafeMutableRawPointer
    private var running: [UnsafeMutableRawPointer: (transfer: Transfer, handle: EasyHandle)] = [:]
    private var idle: [EasyHandle] = []

    /// The most connections that are kept open for later requests.
    private static let keptConnections = 256

    private static let isInitialized: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    /// Makes an empty one, for ``init(_:)`` on its thread.
    static func make() -> UnsafeMutableRawPointer {
        guard isInitialized, let multi = curl_multi_init() else {
            preconditionFailure("libcurl cannot start: out of memory")
        }
        _ = clibcurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, keptConnections)
        return multi
    }

    /// A write to a connection that the other side has closed is an error, and no signal that ends the process.
    static func ignoreBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    init(_ multi: UnsafeMutableRawPointer) { self.multi = multi }

    /// Starts a transfer.
    mutating func begin(_ transfer: Transfer) {
        guard let handle = idle.popLast() ?? EasyHandle() else { return transfer.end(CURLE_OUT_OF_MEMORY) }
        let result = transfer.begin(with: handle)
        guard result == CURLE_OK, curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
            transfer.end(result == CURLE_OK ? CURLE_FAILED_INIT : result)
            return handle.free()
        }
        running[handle.easy] = (transfer, handle)
    }

    /// Moves all transfers on as far as they get now, and ends those that are done.
    mutating func perform() {
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        while let message = curl_multi_info_read(multi, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            end(easy, message.pointee.data.result)
        }
    }

    /// Ends a transfer before its time, if it is still there.
    mutating func abort(_ transfer: Transfer) {
        if let handle = transfer.handle { end(handle.easy, CURLE_ABORTED_BY_CALLBACK) }
    }

    /// Ends all transfers before their time.
    mutating func abortAll() {
        for easy in Array(running.keys) { end(easy, CURLE_ABORTED_BY_CALLBACK) }
    }

    /// Frees everything; there must be no transfers any more.
    consuming func close() {
        for handle in idle { handle.free() }
        curl_multi_cleanup(multi)
    }

    private mutating func end(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) {
        guard let (transfer, handle) = running.removeValue(forKey: easy) else { return }
        curl_multi_remove_handle(multi, easy)
        transfer.end(result)
        // Options of the next transfer shall find nothing of this one; cookies survive a reset.
        _ = clibcurl_set_text(easy, CURLOPT_COOKIELIST, "ALL")
        curl_easy_reset(easy)
        idle.append(handle)
    }
}

/// libcurl's easy handle, and where it writes what went wrong.
struct EasyHandle {
    let easy: UnsafeMutableRawPointer
    let errorText: UnsafeMutablePointer<CChar>

    /// Makes one; `nil` without memory.
    init?() {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    }

    /// Returns libcurl's message about the result of its last transfer.
    func message(of result: CURLcode) -> String {
        String(cString: errorText.pointee == 0 ? curl_easy_strerror(result) : UnsafePointer(errorText))
    }

    func free() {
        curl_easy_cleanup(easy)
        errorText.deallocate()
    }
}
