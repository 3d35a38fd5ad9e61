/// The problem of a link.
enum Fault: Equatable {
    /// The written text is not a valid address.
    case invalid
    case status(Int)
    case failed(FetchFailure)
    case missingAnchor(String)
    case wrongType(LinkRecord.Use, String)
    case redirectLoop
    case tooManyRedirects
    /// A redirect without a target.
    case redirectNowhere
}

/// The verdict on a link so far.
enum Verdict {
    /// Unknown, until this address answers.
    case open(Int32)
    case settled(Fault?, Route)
}

/// The redirects from a link to its end.
struct Route {
    enum End {
        /// An address that does not redirect.
        case reached
        /// A loop of redirects.
        case loop
        /// Too many redirects.
        case tooLong
        /// A redirect without a target.
        case lost
    }

    /// The address at the end.
    var last: Int32
    var redirects = 0
    var end = End.reached
    /// Whether one of the redirects changed cookies.
    var setsCookies = false
    /// Whether all redirects are on the crawled origin.
    var isLocal = true
    /// The number of the fragment at the end, when a redirect has one of its own; otherwise -1.
    var fragment: Int32 = -1
}

extension Audit.Model {
    /// Judges a link by the known addresses of its redirects, in at most eleven steps.
    func verdict(on link: LinkRecord) -> Verdict {
        guard link.target >= 0 else { return .settled(.invalid, Route(last: -1)) }
        var route = Route(last: link.target)
        var passed: [Int32] = []
        while true {
            let record = addresses[route.last]
            guard record.isSettled else { return .open(route.last) }
            if record.fragment >= 0 { route.fragment = record.fragment }
            guard record.state == .answered, Redirect.isStatus(Int(record.status)) else { break }
            if record.target < 0 {
                route.end = .lost
                break
            }
            passed.append(route.last)
            route.redirects += 1
            route.setsCookies = route.setsCookies || record.flags.contains(.setsCookies)
            route.isLocal = route.isLocal && record.flags.contains(.isLocal)
            route.last = record.target
            if passed.contains(route.last) {
                route.end = .loop
            } else if route.redirects > Redirect.limit {
                route.end = .tooLong
            }
            if route.end != .reached { break }
        }
        return .settled(fault(of: link, route), route)
    }

    private func fault(of link: LinkRecord, _ route: Route) -> Fault? {
        switch route.end {
        case .loop: return .redirectLoop
        case .tooLong: return .tooManyRedirects
        case .lost: return .redirectNowhere
        case .reached: break
        }
        let record = addresses[route.last]
        switch record.state {
        case .failed: return .failed(FetchFailure(code: record.status))
        case .answered: break
        default: return nil
        }
        guard 200..<300 ~= record.status else { return .status(Int(record.status)) }
        if let type = addresses.type(of: route.last), ContentType.suits(type, link.use) == false {
            return .wrongType(link.use, type)
        }
        let fragment = route.fragment < 0 ? link.fragment : route.fragment
        // Behind another origin's redirect a page may be known by chance, as another link's target, or not.
        guard link.use.leadsToDocument, fragment >= 0, route.isLocal, record.flags.contains(.hasAnchors),
            addresses.hasAnchor(fragment, at: route.last) == false
        else { return nil }
        let text = addresses.fragments[fragment]
        return Fragment.isAlwaysThere(text) ? nil : .missingAnchor(text)
    }
}

/// The valid content types for each use.
enum ContentType {
    static func isHTML(_ type: String?) -> Bool { type == "text/html" || type == "application/xhtml+xml" }

    /// Whether a browser can use `type` for that use.
    ///
    /// An unknown type is always valid.
    static func suits(_ type: String, _ use: LinkRecord.Use) -> Bool {
        switch use {
        case .document, .other: true
        case .image: type.hasPrefix("image/")
        case .stylesheet: type == "text/css"
        case .script:
            type.contains("javascript") || type.contains("ecmascript") || type.contains("json")
                || type == "application/wasm"
        }
    }
}
