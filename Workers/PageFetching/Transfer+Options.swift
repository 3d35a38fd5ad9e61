import CLibCurl
import Foundation

/// The options of libcurl for a transfer.
extension Transfer {
    /// The name that servers are told.
    static let userAgent = "site-audit/1 (+Mobius Fleet)"

    private static let accept = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
    /// Kept for ever, as libcurl does not copy lists.
    private nonisolated(unsafe) static let headers = curl_slist_append(nil, accept)
    private nonisolated(unsafe) static let plainHeaders = curl_slist_append(
        curl_slist_append(nil, accept), "Accept-Encoding: identity")

    /// The time that a connection may be idle and still be used again, in seconds.
    private static let idleTime = 15

    func setOptions(of handle: EasyHandle) -> CURLcode {
        let easy = handle.easy
        setDefaults(of: easy)
        let milliseconds = request.timeout / .milliseconds(1)
        _ = clibcurl_set_number(easy, CURLOPT_TIMEOUT_MS, max(1, Int(milliseconds.rounded(.up))))
        _ = clibcurl_set_pointer(easy, CURLOPT_ERRORBUFFER, handle.errorText)
        if request.isHead { _ = clibcurl_set_number(easy, CURLOPT_NOBODY, 1) }
        if request.isOnFreshConnection { _ = clibcurl_set_number(easy, CURLOPT_FRESH_CONNECT, 1) }
        // Requests to one host share a connection from the first on, if it turns out to be HTTP/2.
        if request.url.hasPrefix("https:") { _ = clibcurl_set_number(easy, CURLOPT_PIPEWAIT, 1) }
        switch request.coding {
        case .decoded:
            _ = clibcurl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "")
            _ = clibcurl_set_pointer(easy, CURLOPT_HTTPHEADER, Self.headers)
        case .asSent:
            _ = clibcurl_set_pointer(easy, CURLOPT_HTTPHEADER, Self.plainHeaders)
        }
        if let credentials = request.credentials { _ = clibcurl_set_text(easy, CURLOPT_USERPWD, credentials) }
        request.trust.set(on: easy)
        setCookies(of: easy)
        return clibcurl_set_text(easy, CURLOPT_URL, request.url)
    }

    private func setDefaults(of easy: UnsafeMutableRawPointer) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        _ = clibcurl_set_pointer(easy, CURLOPT_HEADERDATA, this)
        _ = clibcurl_set_pointer(easy, CURLOPT_WRITEDATA, this)
        // A count other than the one that came ends the transfer.
        _ = clibcurl_set_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, _, count, this in
            guard let this, let bytes else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: count)
            return Unmanaged<Transfer>.fromOpaque(this).takeUnretainedValue().receive(line: line) ? count : 0
        }
        _ = clibcurl_set_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, this in
            guard let this, let bytes else { return 0 }
            let part = UnsafeRawBufferPointer(start: bytes, count: count)
            return Unmanaged<Transfer>.fromOpaque(this).takeUnretainedValue().receive(body: part) ? count : 0
        }
        _ = clibcurl_set_web_only(easy)
        clibcurl_set_quick_exit(easy)
        _ = clibcurl_set_number(easy, CURLOPT_NOSIGNAL, 1)
        _ = clibcurl_set_number(easy, CURLOPT_BUFFERSIZE, Self.bufferSize)
        _ = clibcurl_set_number(easy, CURLOPT_HTTP09_ALLOWED, 0)
        _ = clibcurl_set_number(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        _ = clibcurl_set_number(easy, CURLOPT_MAXAGE_CONN, Self.idleTime)
        // What a proxy says to CONNECT is no part of the answer.
        _ = clibcurl_set_number(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // A URL is asked for as it is linked.
        _ = clibcurl_set_number(easy, CURLOPT_PATH_AS_IS, 1)
        _ = clibcurl_set_text(easy, CURLOPT_USERAGENT, Self.userAgent)
    }
}

// MARK: - Cookies

/// libcurl keeps the rules of RFC 6265: which host, path and scheme a cookie is for.
extension Transfer {
    private static let mostCookies = 50
    private static let mostCookieBytes = 16 << 10

    private func setCookies(of easy: UnsafeMutableRawPointer) {
        guard request.reading != .robots else { return }
        _ = clibcurl_set_text(easy, CURLOPT_COOKIEFILE, "")
        // Only lines of a cookie file: other words are commands.
        for line in request.cookies where line.utf8.count(where: { $0 == 0x09 }) == 6 {
            _ = clibcurl_set_text(easy, CURLOPT_COOKIELIST, line)
        }
    }

    /// All cookies of a handle, as many as an answer may carry.
    static func cookies(of easy: UnsafeMutableRawPointer) -> [String] {
        let list = clibcurl_list(easy, CURLINFO_COOKIELIST)
        defer { curl_slist_free_all(list) }
        var lines: [String] = []
        var bytes = 0
        var entry = list
        while let cookie = entry, lines.count < mostCookies {
            let line = String(cString: cookie.pointee.data)
            entry = cookie.pointee.next
            guard bytes + line.utf8.count <= mostCookieBytes, isCurrent(line) else { continue }
            bytes += line.utf8.count
            lines.append(line)
        }
        return lines
    }

    /// Whether a line of a cookie file has not expired, which libcurl looks at later; the fifth column, 0 for never.
    private static func isCurrent(_ line: String) -> Bool {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard columns.count == 7, let expiry = Int(columns[4]) else { return false }
        return expiry == 0 || expiry > time(nil)
    }
}
