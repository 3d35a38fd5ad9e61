extension Audit.Model {
    /// The report of what is known: the one computation that looks at everything.
    var report: Report {
        Report(
            start: request?.start ?? "", directory: request?.reportDirectory ?? "", started: request?.time ?? 0,
            pages: counts.pages, links: counts.links, addresses: askedAddresses, disallowed: counts.disallowed,
            unchecked: counts.external, broken: brokenLinks, redirects: redirectedLinks)
    }

    private var askedAddresses: Int { addresses.records.count { $0.state == .answered || $0.state == .failed } }

    private var brokenLinks: [BrokenLink] {
        var rows: Set<BrokenLink> = []
        for link in broken.links {
            guard case .settled(let fault?, let route) = verdict(on: link) else { continue }
            rows.insert(
                BrokenLink(
                    page: addresses.url(link.page), link: text(of: link), line: Int(link.line),
                    reason: Sentence.reason(fault), status: status(fault, link, route)))
        }
        return rows.sorted { ($0.page, $0.line, $0.link, $0.reason) < ($1.page, $1.line, $1.link, $1.reason) }
    }

    private var redirectedLinks: [RedirectedLink] {
        var rows: Set<RedirectedLink> = []
        for link in redirected.links {
            guard case .settled(_, let route) = verdict(on: link), route.redirects > 0 else { continue }
            let fragment = route.fragment.map { "#" + Fragment.encoded($0) } ?? ""
            rows.insert(
                RedirectedLink(
                    page: addresses.url(link.page), link: text(of: link), line: Int(link.line),
                    target: addresses.url(route.last) + fragment, status: Int(addresses[link.target].status)))
        }
        return rows.sorted { ($0.page, $0.line, $0.link, $0.target) < ($1.page, $1.line, $1.link, $1.target) }
    }

    private func text(of link: LinkRecord) -> String {
        guard link.target >= 0 else { return link.fragment ?? "" }
        return addresses.url(link.target) + (link.fragment.map { "#" + Fragment.encoded($0) } ?? "")
    }

    private func status(_ fault: Fault, _ link: LinkRecord, _ route: Route) -> Int? {
        switch fault {
        case .invalid, .failed: nil
        case .status(let status): status
        case .missingAnchor, .wrongType, .redirectNowhere: Int(addresses[route.last].status)
        case .redirectLoop, .tooManyRedirects: Int(addresses[link.target].status)
        }
    }
}
