import CLibCurl
import Foundation
import SiteAudit

/// The address of a request, without the secrets that its URL may hold.
struct Asked {
    /// Without user, password and fragment; otherwise as it is linked.
    let url: String
    /// `user:password`.
    private(set) var credentials: String?
    /// Lines of curl's cookie file.
    private(set) var cookies: [String]
    /// The address that a redirect led to, with its fragment; `nil` for what was asked first.
    private(set) var redirectedTo: String?

    init(_ request: FetchRequest) throws(TransferFailure) {
        try self.init(request.url, credentials: request.credentials, cookies: request.cookies ?? [])
    }

    private init(_ written: String, credentials: String?, cookies: [String]) throws(TransferFailure) {
        guard written.hasPrefix("http://") || written.hasPrefix("https://") else {
            throw TransferFailure(code: CURLE_URL_MALFORMAT, message: "no URL of HTTP")
        }
        let whole = written.prefix { $0 != "#" }
        let parts = Self.userInfo(of: whole)
        url = parts.map { String(whole[..<$0.lowerBound] + whole[$0.upperBound...].dropFirst()) } ?? String(whole)
        let info = parts.flatMap { $0.isEmpty ? nil : String(whole[$0]).removingPercentEncoding ?? String(whole[$0]) }
        self.credentials = info.map { $0.contains(":") ? $0 : $0 + ":" } ?? credentials
        self.cookies = cookies
    }

    /// Returns the part before the `@` of the authority.
    private static func userInfo(of url: Substring) -> Range<Substring.Index>? {
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        let end = url[start...].firstIndex { "/?\\\\".contains($0) } ?? url.endIndex
        return url[start..<end].lastIndex(of: "@").map { start..<$0 }
    }

    /// Returns the next request after a redirect; user and password are for one server.
    func redirected(to target: String, cookies: [String]?) throws(TransferFailure) -> Asked {
        let isSame = WebURL(url)?.origin == WebURL(target)?.origin
        var next = try Asked(target, credentials: isSame ? credentials : nil, cookies: cookies ?? self.cookies)
        next.redirectedTo = target
        return next
    }
}
