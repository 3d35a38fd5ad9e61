/// What is wrong with a link.
enum Fault: Equatable {
    /// No browser can make an address of what is written.
    case invalid
    case status(Int)
    case failed(FetchFailure)
    case missingAnchor(String)
    case wrongType(LinkRecord.Use, String)
    case redirectLoop
    case tooManyRedirects
    /// A redirect that does not say where to.
    case redirectNowhere
}

/// What can be said about a link so far.
enum Verdict {
    /// Nothing, until this address answers.
    case open(Int32)
    case settled(Fault?, Route)
}

/// The way from a link to its end.
struct Route {
    enum End {
        /// An address that does not redirect.
        case reached
        /// Goes round in circles.
        case loop
        /// More redirects than anybody follows.
        case tooLong
        /// A redirect to nowhere.
        case lost
    }

    /// The address at the end.
    var last: Int32
    var redirects = 0
    var end = End.reached
    /// The fragment at the end, when a redirect has one of its own.
    var fragment: String?
}

extension Audit.Model {
    /// Judges by what is known of the addresses on the way: costs eleven steps at most.
    func verdict(on link: LinkRecord) -> Verdict {
        guard link.target >= 0 else { return .settled(.invalid, Route(last: -1)) }
        var route = Route(last: link.target)
        var passed: [Int32] = []
        while true {
            let record = addresses[route.last]
            guard record.isSettled else { return .open(route.last) }
            guard record.state == .answered, Redirect.isStatus(Int(record.status)) else { break }
            if record.target < 0 {
                route.end = .lost
                break
            }
            passed.append(route.last)
            route.redirects += 1
            route.fragment = addresses.redirectFragments[route.last] ?? route.fragment
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
        guard link.use.leadsToDocument, record.flags.contains(.hasAnchors),
            let fragment = route.fragment ?? link.fragment, Fragment.isAlwaysThere(fragment) == false
        else { return nil }
        return addresses.hasAnchor(fragment, at: route.last) ? nil : .missingAnchor(fragment)
    }
}

/// Which content types are right for what.
enum ContentType {
    static func isHTML(_ type: String?) -> Bool { type == "text/html" || type == "application/xhtml+xml" }

    /// Whether a browser can use `type` there.
    ///
    /// An unknown type suits everything.
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
