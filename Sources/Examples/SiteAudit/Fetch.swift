/// One request for a `page-fetcher` worker.
///
/// Redirects are not followed: each hop is its own request.
public struct FetchRequest: Codable, Sendable, Hashable {
    /// The purpose of the answer.
    public enum Purpose: String, Codable, Sendable {
        /// GET, and extract links and anchors when it is HTML.
        case page
        /// HEAD, and GET where HEAD is refused or fails (405, 501, 403, 404, a broken answer …); no body is read.
        case check
        /// GET the body as text: `robots.txt`.
        case robots
        /// GET as a browser does: follows redirects, at most ten, and sends the cookies that they set; a page at the end is
        /// read.
        case visit
    }

    /// Absolute, as it is linked, without fragment.
    public var url: String
    /// The purpose of the answer.
    public var purpose: Purpose
    /// From the start of the request to the end of its answer, in milliseconds; `nil` leaves it to the worker.
    public var timeLimit: Int?
    /// The number of earlier attempts that failed temporarily; `nil` for none.
    public var retry: Int?
    /// `user:password` for the server, sent as an `Authorization` header; masked in output for people.
    public var credentials: String?
    /// The cookies that the audit has for the server, as an earlier answer's ``FetchAnswer/cookies``; `nil` for none.
    public var cookies: [String]?

    /// Describes a request.
    public init(
        url: String, purpose: Purpose, timeLimit: Int? = nil, retry: Int? = nil, credentials: String? = nil,
        cookies: [String]? = nil
    ) {
        self.url = url
        self.purpose = purpose
        self.timeLimit = timeLimit
        self.retry = retry
        self.credentials = credentials
        self.cookies = cookies
    }
}

/// The answer of a server to one request.
public struct FetchAnswer: Codable, Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The media type in lower case without parameters, such as `text/html`; `nil` when it is unknown.
    ///
    /// Of a page it is the one that the MIME Sniffing standard finds where the server gave none.
    public var contentType: String?
    /// For a redirect (301, 302, 303, 307, 308): the absolute target; it may have a fragment.
    ///
    /// For a visit: the address at the end of its redirects, if that is another one.
    public var location: String?
    /// The contents of the page, if it is HTML with status 200…299 and was requested as a page.
    public var page: FetchedPage?
    /// The reason why a body with status 200…299, of a page or `robots.txt`, was not read.
    public var unread: Unread?
    /// Whether the answer is to HEAD, whose type proves nothing against a link; `nil` for no.
    public var isHead: Bool?
    /// All cookies of the server, after an answer that changed them: lines of curl's cookie file; otherwise `nil`.
    public var cookies: [String]?
    /// The text of `robots.txt`, at most 512 KiB, when asked for and status 200…299.
    public var text: String?
    /// The server's `Retry-After` in seconds, with a status of 400 or more.
    public var retryAfter: Int?
    /// The earlier parts, if the page is so large that it is sent in parts.
    public var partsBefore: PartsBefore?

    /// The reason why a page was not read.
    public enum Unread: String, Codable, Sendable, CaseIterable {
        /// Its content coding is unknown, or its body is not in it.
        case coding
        /// It is larger than the limit.
        case tooLarge
    }

    /// The parts of a page that were sent in separate events.
    public struct PartsBefore: Codable, Sendable, Equatable {
        /// The attempt that sent them.
        public var attempt: String
        /// Their number.
        public var count: Int

        /// Describes them.
        public init(attempt: String, count: Int) {
            self.attempt = attempt
            self.count = count
        }
    }

    /// Describes an answer.
    public init(
        status: Int, contentType: String? = nil, location: String? = nil, page: FetchedPage? = nil, text: String? = nil,
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.contentType = contentType
        self.location = location
        self.page = page
        self.text = text
        self.retryAfter = retryAfter
    }
}

/// The contents of an HTML page that an audit needs.
///
/// It is encoded as lines of text, a quarter of the size and cost of one JSON object per link: see
/// `Fetch+Codable.swift`.
public struct FetchedPage: Codable, Sendable, Equatable {
    /// Every link in document order; the same target may occur several times.
    public var links: [FetchedLink]
    /// Every `id`, and every `name` of an `a`, without duplicates.
    public var anchors: [String]

    /// Describes a page.
    public init(links: [FetchedLink], anchors: [String]) {
        self.links = links
        self.anchors = anchors
    }
}

/// One link of a page.
public struct FetchedLink: Sendable, Equatable {
    /// The use of the link, which determines the valid content types.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// `a`, `area`, `iframe`, `frame`, `link rel=next` and the like: leads to a document, may be crawled.
        case document
        /// `img`, `srcset`, `picture source`, `link rel=icon`, `input type=image`, `video poster`.
        case image
        /// `script`.
        case script
        /// `link rel=stylesheet`.
        case stylesheet
        /// Anything else with an address: `video`, `audio`, `source`, `track`, `object`, `embed`, other `link`s.
        case other
    }

    /// The address as the author wrote it, white space trimmed.
    ///
    /// It is sent only if ``url`` is `nil`; otherwise it is empty afterwards, because it is not needed and pages have
    /// many links.
    public var written: String
    /// The absolute, normalised URL, without fragment; `nil` when `written` is no valid URL.
    public var url: String?
    /// The percent-decoded fragment, without `#`; `nil` when there is none.
    public var fragment: String?
    /// The line of the tag in the source, from 1.
    public var line: Int
    /// The kind of the link.
    public var kind: Kind

    /// Describes a link.
    public init(written: String, url: String?, fragment: String?, line: Int, kind: Kind) {
        self.written = written
        self.url = url
        self.fragment = fragment
        self.line = line
        self.kind = kind
    }
}

/// The reason why a request got no complete, valid answer.
///
/// Models keep the place of a case: append new ones at the end.
public enum FetchFailure: String, Codable, Sendable, Hashable, CaseIterable {
    /// No address for the host name.
    case hostNotFound
    /// The host refused or cut the connection.
    case connectionFailed
    /// No answer within the time limit.
    case timedOut
    /// The TLS certificate or handshake was bad.
    case insecure
    /// The answer was no valid HTTP.
    case invalidAnswer
    /// The answer ended before its end: its body was shorter than announced, or the connection was cut.
    case brokenOff
    /// No worker could do it.
    case workerFailed
    /// The workers that were to do it did not answer.
    case workerTimedOut
}

/// A pause between two requests to one origin.
public struct Wait: Codable, Sendable, Equatable {
    /// The paused origin.
    public var origin: String
    /// Identifies this pause.
    public var token: Int
    /// Its length.
    public var milliseconds: Int

    /// Describes a pause.
    public init(origin: String, token: Int, milliseconds: Int) {
        self.origin = origin
        self.token = token
        self.milliseconds = milliseconds
    }
}
