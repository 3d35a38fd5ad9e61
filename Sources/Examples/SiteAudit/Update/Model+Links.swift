extension Audit.Model {
    /// Handles the links of a crawled page.
    mutating func see(_ links: [FetchedLink], on page: Int32) {
        let isWide = request?.checksExternal == true
        var followed: [(link: FetchedLink, isLocal: Bool)] = []
        followed.reserveCapacity(links.count)
        for link in links {
            guard let url = link.url else {
                counts.links += 1
                broken.links.append(LinkRecord(invalid: link, page: page))
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
            let record = LinkRecord(link, page: page, target: targets[position])
            if isKnown[position] == false {
                want(record.target, asDocument: isLocal && record.use.leadsToDocument, hops: 0)
            }
            judge(record)
        }
    }

    /// Reports a link, drops it, or queues it for the answer of its address.
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
        // Prefetches the next link while this one is judged.
        var ahead = waiting.next(after: head)
        while let link = waiting.take(from: &head) {
            let further = waiting.next(after: ahead)
            judge(link)
            (head, ahead) = (ahead, further)
        }
    }
}
