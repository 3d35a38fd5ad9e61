extension Audit.Model {
    /// Looks at one link of a crawled page.
    mutating func see(_ link: FetchedLink, on page: Int32) {
        let use = LinkRecord.Use(link.kind)
        guard let url = link.url else {
            counts.links += 1
            broken.links.append(
                LinkRecord(page: page, line: Int32(clamping: link.line), target: -1, use: use, fragment: link.written))
            return
        }
        let isLocal = url.hasPrefix(origin)
        guard isLocal || request?.checksExternal == true else { return counts.external += 1 }
        counts.links += 1
        let target = addresses.number(of: url)
        want(target, asDocument: isLocal && use.leadsToDocument, hops: 0)
        judge(
            LinkRecord(
                page: page, line: Int32(clamping: link.line), target: target, use: use, fragment: link.fragment))
    }

    /// Reports a link, drops it, or lets it wait for the address that decides.
    mutating func judge(_ link: LinkRecord) {
        switch verdict(on: link) {
        case .open(let number):
            waiting.add(link, before: &addresses[number].waiting)
        case .settled(let fault, let route):
            if fault != nil { broken.links.append(link) }
            if route.redirects > 0 { redirected.links.append(link) }
        }
    }

    /// Judges the links that waited for this address.
    mutating func settle(_ number: Int32) {
        var head = addresses[number].waiting
        addresses[number].waiting = -1
        while let link = waiting.take(from: &head) { judge(link) }
    }
}
