/// What is to be asked for, and in which way.
extension Audit.Model {
    /// Something leads to this address, `hops` redirects away from a link.
    ///
    /// However often and in whatever order it is called, the last word is the same: the nearest link and the strongest wish
    /// count, and a redirect passes both on.
    mutating func want(_ number: Int32, asDocument: Bool, hops: UInt8) {
        let before = addresses[number]
        let isNearer = hops < before.hops
        let isUpgraded = asDocument && before.flags.contains(.isDocument) == false
        guard isNearer || isUpgraded else { return }
        if isNearer { addresses[number].hops = hops }
        if isUpgraded { addresses[number].flags.insert(.isDocument) }
        switch before.state {
        case .new:
            if Int(addresses[number].hops) <= Redirect.limit { askFirst(number) }
        case .queued:
            if isUpgraded { place(number) }
        case .inFlight:
            if isUpgraded { frontier.openPages += 1 }
        case .answered:
            if before.target >= 0 { passOn(number) } else if isUpgraded, isPageUnread(number) { place(number) }
        case .candidate, .failed, .disallowed, .external:
            break
        }
    }

    /// Wants the target of a redirect as much as the redirect itself.
    mutating func passOn(_ number: Int32) {
        let record = addresses[number]
        guard record.hops <= Redirect.limit else { return }
        let asDocument = record.flags.contains(.isDocument) && addresses.hasPrefix(record.target, origin)
        want(record.target, asDocument: asDocument, hops: record.hops + 1)
    }

    /// Whether this was only checked, turned out to be HTML, and is linked as a document as well.
    func isPageUnread(_ number: Int32) -> Bool {
        let record = addresses[number]
        guard record.state == .answered, 200..<300 ~= record.status, record.flags.contains(.wasPage) == false else {
            return false
        }
        return record.flags.isSuperset(of: [.isDocument, .isLocal]) && ContentType.isHTML(addresses.type(of: number))
    }

    private mutating func askFirst(_ number: Int32) {
        guard addresses.hasPrefix(number, origin) else {
            if request?.checksExternal == true { return enqueue(number) }
            addresses[number].state = .external
            return
        }
        addresses[number].flags.insert(.isLocal)
        if robots.rules.isEmpty == false, let url = WebURL(addresses.url(number)), robots.allows(url) == false {
            addresses[number].state = .disallowed
            counts.disallowed += 1
            return
        }
        place(number)
    }

    /// Puts an address of the crawled origin where it belongs: among the pages to be crawled, or to be asked for only.
    mutating func place(_ number: Int32) {
        let isQueued = addresses[number].state == .queued
        let isDocument = addresses[number].flags.contains(.isDocument)
        if isDocument, addresses.hasPrefix(number, scope) {
            if isLimited, addresses[number].flags.contains(.isCrawled) == false {
                if isQueued { counts.queued -= 1 }
                addresses[number].state = .candidate
                frontier.candidates.append(number)
                return
            }
            addresses[number].flags.insert(.isCrawled)
        }
        if isQueued { frontier.openPages += isDocument ? 1 : 0 } else { enqueue(number) }
    }
}
