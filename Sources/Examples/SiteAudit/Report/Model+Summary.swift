// What is done once, when everything has answered; a hundred thousand links take a fraction of a second.
extension Audit.Model {
    /// Sorts broken and redirecting links by page, line and link, and removes duplicates and those whose addresses have
    /// answered otherwise since.
    mutating func putInOrder() {
        let ranks = pageRanks()
        broken = ordered(broken, ranks) { verdict(on: $0).fault }
        redirected = ordered(redirected, ranks) { verdict(on: $0).redirects > 0 ? true : nil }
    }

    /// The place of each page with such links in the order of URLs, by its number.
    private func pageRanks() -> [Int32] {
        var ranks = [Int32](repeating: -1, count: Int(addresses.count))
        var pages: [Int32] = []
        for link in broken + redirected where ranks[Int(link.page)] < 0 {
            ranks[Int(link.page)] = 0
            pages.append(link.page)
        }
        pages.sort { addresses.precedes($0, $1) }
        for (rank, page) in pages.enumerated() { ranks[Int(page)] = Int32(rank) }
        return ranks
    }

    /// - Parameter finding: Returns the finding about a link for a report; `nil` for none.
    private func ordered<Finding: Equatable>(
        _ links: [LinkRecord], _ ranks: [Int32], _ finding: (LinkRecord) -> Finding?
    ) -> [LinkRecord] {
        let sorted = links.sorted { one, other in
            let (rank, otherRank) = (ranks[Int(one.page)], ranks[Int(other.page)])
            if rank != otherRank { return rank < otherRank }
            if one.line != other.line { return one.line < other.line }
            return precedes(one, other)
        }
        var last: (link: LinkRecord, finding: Finding)?
        return sorted.filter { link in
            guard let found = finding(link) else { return false }
            if let last, last.finding == found, isSamePlace(last.link, link) { return false }
            last = (link, found)
            return true
        }
    }

    /// The order of links on one line.
    private func precedes(_ one: LinkRecord, _ other: LinkRecord) -> Bool {
        if one.target != other.target {
            guard one.target >= 0, other.target >= 0 else { return one.target < other.target }
            if addresses.precedes(one.target, other.target) { return true }
            if addresses.precedes(other.target, one.target) { return false }
        }
        if one.fragment != other.fragment {
            guard one.fragment >= 0, other.fragment >= 0 else { return one.fragment < other.fragment }
            return addresses.fragments.precedes(one.fragment, other.fragment)
        }
        if one.use != other.use { return one.use.rawValue < other.use.rawValue }
        // An address precedes the visit to it.
        return one.target < other.target
    }

    private func isSamePlace(_ one: LinkRecord, _ other: LinkRecord) -> Bool {
        one.page == other.page && one.line == other.line && one.fragment == other.fragment
            && (one.target == other.target
                || one.target >= 0 && addresses.knownVisit(of: one.target) == other.target)
    }

    // MARK: The summary

    /// Returns the findings of the audit; broken and redirecting links are in order.
    func summary(unread: [Int32]) -> Summary {
        var summary = Summary()
        summary.pages = counts.pages
        summary.links = counts.links
        summary.broken = broken.count
        summary.redirects = redirected.count
        summary.addresses = addresses.records.count {
            ($0.state == .answered || $0.state == .failed) && $0.flags.contains(.isVisit) == false
        }
        summary.disallowed = counts.disallowed
        summary.unchecked = counts.external
        summary.cutShort = cutShort
        summary.reasons = Self.count(broken.indices) { place in
            verdict(on: broken[place]).fault.map(Sentence.group)
        } example: {
            brokenRow(broken[$0])
        }
        summary.unread = Self.count(unread) {
            unreadRow($0).note
        } example: {
            unreadRow($0)
        }
        return summary
    }

    /// Counts equal reasons, and keeps the first example of the most frequent ones.
    private static func count<Place>(
        _ places: some Collection<Place>, _ reason: (Place) -> String?, example: (Place) -> ReportRow
    ) -> [ReasonCount] {
        var counts: [String: (count: Int, first: Place)] = [:]
        for place in places {
            if let reason = reason(place) { counts[reason, default: (0, place)].count += 1 }
        }
        let sorted = counts.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        return sorted.prefix(Summary.mostReasons).map { reason, found in
            ReasonCount(reason: reason, count: found.count, example: example(found.first).shortened)
        }
    }

    /// The pages that a limit left out: those of the scope that answered as such and were not crawled.
    private var cutShort: CutShort? {
        guard isLimited else { return nil }
        let pages = (0..<addresses.count).count { number in
            let record = addresses[number]
            return record.isSuccess && record.flags.contains(.hasAnchors)
                && record.flags.contains(.isCrawled) == false && isInScope(number)
        }
        guard pages > 0 else { return nil }
        if let maxPages = request?.maxPages, counts.pages >= maxPages {
            return CutShort(pages: pages, limit: .maxPages, value: maxPages)
        }
        return request?.depth.map { CutShort(pages: pages, limit: .depth, value: $0) }
    }
}

extension Verdict {
    fileprivate var fault: Fault? { if case .settled(let fault, _) = self { fault } else { nil } }
    fileprivate var redirects: Int { if case .settled(_, let route) = self { route.redirects } else { 0 } }
}
