/// The result of one request.
enum Received {
    case answered(FetchAnswer)
    case failed(FetchFailure)

    /// The page that came with the answer, when it was one.
    var page: FetchedPage? {
        if case .answered(let answer) = self { answer.page } else { nil }
    }
}

extension FetchFailure {
    /// Every failure, in the order of the codes that a model keeps.
    ///
    /// Append new ones at the end.
    static let allCodes: [FetchFailure] = [
        .hostNotFound, .connectionFailed, .timedOut, .insecure, .invalidAnswer, .workerFailed, .workerTimedOut,
    ]

    /// The place in ``allCodes``.
    var code: UInt16 { UInt16(Self.allCodes.firstIndex(of: self) ?? Self.allCodes.count - 1) }

    init(code: UInt16) { self = Int(code) < Self.allCodes.count ? Self.allCodes[Int(code)] : .workerFailed }
}

extension FetchAnswer {
    /// Whether the status is a redirect.
    var isRedirect: Bool { Redirect.isStatus(status) }
}

/// What counts as a redirect.
enum Redirect {
    /// The maximum number of redirects in a row.
    static let limit = 10

    static func isStatus(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The parts of a `Location`; `nil` if it cannot be requested.
    static func target(_ location: String?) -> (url: String, fragment: String?)? {
        guard let location, let base = WebURL(location) else { return nil }
        guard case .web(let url, let fragment) = base.resolve(location) else { return nil }
        return (url, fragment)
    }
}
