extension Audit.Model {
    /// Handles the links of a crawled page.
    mutating func see(_ links: [FetchedLink], on page: Int32) {
        let isWide = request?.checksExternal == true
        var followed: [(link: FetchedLink, isLocal: Bool)] = []
        followed.reserveCapacity(links.count)
        for link in links {
            guard let url = link.url else {
                counts.links += 1
                broken.append(record(link, target: -1, fragment: link.written, on: page))
                continue
            }
            let isLocal = url.hasPrefix(origin)
            if isLocal || isWide { followed.append((link, isLocal)) } else { counts.external += 1 }
        }
        counts.links += followed.count
        let targets = addresses.numbers(of: followed.map { $0.link.url ?? "" })
        // A separate loop, so that the memory accesses of all records overlap.
        let isKnown = targets.map { addresses.records[Int($0)].isWanted }
        for (position, (link, isLocal)) in followed.enumerated() {
            let record = record(link, target: targets[position], fragment: link.fragment, on: page)
            if isKnown[position] == false {
                want(record.target, asDocument: isLocal && record.use.leadsToDocument)
            }
            judge(record)
        }
    }

    private mutating func record(
        _ link: FetchedLink, target: Int32, fragment: String?, on page: Int32
    ) -> LinkRecord {
        let number = fragment.map { addresses.fragments.number(of: $0) } ?? -1
        return LinkRecord(page: page, line: link.line, target: target, fragment: number, use: LinkRecord.Use(link.kind))
    }

    /// Reports a link, drops it, or queues it for the answer of its address.
    private mutating func judge(_ link: LinkRecord) {
        switch verdict(on: link) {
        case .open(let number):
            waiting.add(link, before: &addresses[number].waiting)
        case .settled(let fault, let route):
            if let fault, let visit = secondLook(at: link, fault, route) {
                if route.redirects > 0, route.end == .reached { redirected.append(link) }
                // A visit has no second look, so this happens once.
                var link = link
                link.target = visit
                return judge(link)
            }
            if fault != nil { broken.append(link) }
            if route.redirects > 0 { redirected.append(link) }
        }
    }

    /// Judges the links that waited for this address.
    mutating func settle(_ number: Int32) {
        var head = addresses[number].waiting
        addresses[number].waiting = -1
        // Prefetches the next link while this one is judged.
        var ahead = waiting.next(after: head)
        while let link = waiting.pop(from: &head) {
            let further = waiting.next(after: ahead)
            judge(link)
            (head, ahead) = (ahead, further)
        }
    }

    /// The address to visit as a browser does before the link is called broken; `nil` where that would show no more.
    ///
    /// That is where a redirect changed cookies, which single requests do not send back, and where the content type is
    /// that of an answer to HEAD. The visit is an address of its own beside the one that the link names: whether others
    /// are visited depends on first answers only, and so not on their order.
    private mutating func secondLook(at link: LinkRecord, _ fault: Fault, _ route: Route) -> Int32? {
        guard link.target >= 0 else { return nil }
        let first = addresses[link.target]
        guard first.flags.contains(.isVisit) == false else { return nil }
        switch fault {
        case .wrongType where addresses[route.last].flags.contains(.wasHead): break
        case .redirectLoop where route.setsCookies, .tooManyRedirects where route.setsCookies: break
        case .status(400...) where route.setsCookies: break
        default: return nil
        }
        let visit = addresses.visit(of: link.target)
        want(
            visit, asDocument: link.use.leadsToDocument && route.isLocal && first.flags.contains(.isLocal),
            takesPlace: first.flags.isSuperset(of: [.isCrawled, .hadTurn]))
        return visit
    }
}
