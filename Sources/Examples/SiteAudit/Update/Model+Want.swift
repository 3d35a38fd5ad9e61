/// Decides which addresses are requested, and how.
extension Audit.Model {
    /// A link leads to this address; with `takesPlace` it is crawled in place of an address that was to be crawled.
    ///
    /// The result does not depend on the number and order of calls: the nearest link and the strongest need count, and
    /// a redirect passes both on.
    mutating func want(_ number: Int32, asDocument: Bool, takesPlace: Bool = false) {
        fulfil(Wish(number: number, asDocument: asDocument, hops: 0, takesPlace: takesPlace))
    }

    /// Passes the need for a redirect on to its target.
    mutating func passOn(_ number: Int32) {
        if let wish = wishOfTarget(number) { fulfil(wish) }
    }

    /// Follows known redirects in a loop: a hostile site makes chains of any length, which no stack would hold.
    private mutating func fulfil(_ first: Wish) {
        var settled: [Int32] = []
        var next: Wish? = first
        while let wish = next { next = grant(wish, &settled) }
        for number in settled { settle(number) }
    }

    /// The need for the target, if the address is a known redirect and its own need has changed.
    private mutating func grant(_ wish: Wish, _ settled: inout [Int32]) -> Wish? {
        let number = wish.number
        let before = addresses[number]
        let isNearer = wish.hops < before.hops
        let isUpgraded = wish.asDocument && before.flags.contains(.isDocument) == false
        if isNearer { addresses[number].hops = wish.hops }
        if isUpgraded { addresses[number].flags.insert(.isDocument) }
        var isToPass = false
        switch before.state {
        case .new:
            if isNearer || isUpgraded, Int(addresses[number].hops) <= Redirect.limit { askFirst(number) }
        case .queued:
            if isUpgraded { place(number) }
        case .inFlight:
            if isUpgraded { frontier.openPages += 1 }
        case .answered:
            if isUpgraded, awaitsPage(number) || awaitsLevel(number) {
                place(number)
            } else {
                isToPass = isNearer || isUpgraded
            }
        case .candidate, .failed, .disallowed, .external:
            break
        }
        if wish.takesPlace, takePlace(number) {
            isToPass = true
            settled.append(number)
        }
        return isToPass ? wishOfTarget(number) : nil
    }

    private func wishOfTarget(_ number: Int32) -> Wish? {
        let record = addresses[number]
        guard record.target >= 0, record.hops <= Redirect.limit else { return nil }
        let asDocument = record.flags.contains(.isDocument) && addresses.hasPrefix(record.target, origin)
        // A redirect within the scope counts no level: its target takes its place in the current one.
        return Wish(
            number: record.target, asDocument: asDocument, hops: record.hops + 1,
            takesPlace: record.flags.contains(.isCrawled))
    }

    /// Crawls the target of a crawled redirect, now or when its pending check has ended.
    ///
    /// - Returns: whether it is a redirect itself whose answer is known.
    private mutating func takePlace(_ number: Int32) -> Bool {
        let record = addresses[number]
        if record.state == .candidate { return admit(number, isCrawled: true) }
        if record.state == .inFlight, record.flags.contains(.wasPage) == false, record.isPage, isInScope(number) {
            addresses[number].flags.insert(.isCrawled)
        }
        return false
    }

    /// Handles a candidate.
    ///
    /// - Returns: whether it is a redirect whose answer is known: the wish goes on to the target, and links can be judged.
    private mutating func admit(_ number: Int32, isCrawled: Bool) -> Bool {
        if isCrawled { addresses[number].flags.insert(.isCrawled) }
        guard addresses[number].target >= 0 else {
            enqueue(number)
            return false
        }
        addresses[number].state = .answered
        addresses[number].flags.insert(.wasPage)
        return true
    }

    /// Handles a candidate, and the consequences if its answer is known.
    mutating func takeTurn(_ number: Int32, isCrawled: Bool) {
        if isCrawled { addresses[number].flags.insert(.hadTurn) }
        guard admit(number, isCrawled: isCrawled) else { return }
        passOn(number)
        settle(number)
    }

    /// Whether this was only checked, redirects, and is linked as a page of a level: if the document link had been
    /// found first it would be a candidate, so it becomes one now.
    func awaitsLevel(_ number: Int32) -> Bool {
        let record = addresses[number]
        return isLimited && record.state == .answered && record.target >= 0
            && record.flags.isDisjoint(with: [.isCrawled, .wasPage]) && record.isPage && isInScope(number)
    }

    /// Whether this was only checked, may be HTML, and is linked as a document as well.
    func awaitsPage(_ number: Int32) -> Bool {
        let record = addresses[number]
        return record.isSuccess && record.isPage && record.flags.contains(.wasPage) == false
            && (record.flags.contains(.wasHead) || ContentType.isHTML(addresses.type(of: number)))
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

    /// Adds an address of the crawled origin to the pages to crawl, or to those to request only.
    mutating func place(_ number: Int32) {
        let isQueued = addresses[number].state == .queued
        let isDocument = addresses[number].flags.contains(.isDocument)
        if isDocument, isInScope(number) {
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

// MARK: - Levels

extension Audit.Model {
    /// Begins the next level, or the next part of the current one, once all pages of the last one have answered.
    mutating func advance() {
        guard isLimited else { return }
        while frontier.openPages == 0 {
            if frontier.remaining.isEmpty {
                if frontier.candidates.isEmpty { return }
                beginLevel()
            }
            let chosen = min(isDeepEnough ? 0 : budget, frontier.remaining.count)
            for _ in 0..<chosen {
                let number = frontier.remaining.removeLast()
                guard addresses[number].state == .candidate else { continue }
                takeTurn(number, isCrawled: true)
            }
            if budget <= 0 || isDeepEnough { askWithoutCrawling() }
        }
    }

    private var budget: Int { max(0, (request?.maxPages ?? .max) - counts.pages) }

    private var isDeepEnough: Bool { frontier.level > request?.depth ?? .max }

    private mutating func beginLevel() {
        frontier.level += 1
        let candidates = frontier.candidates
        frontier.candidates = []
        // Some have been crawled in place of an address that redirects to them.
        frontier.remaining = candidates.filter { addresses[$0].state == .candidate }
        guard isDeepEnough == false, budget < frontier.remaining.count else { return }
        let sorted = frontier.remaining.map { (url: addresses.url($0), number: $0) }.sorted { $0.url > $1.url }
        frontier.remaining = sorted.map(\.number)
    }

    /// Pages beyond the limits are requested nevertheless, because links lead there.
    private mutating func askWithoutCrawling() {
        let rest = frontier.remaining
        frontier.remaining = []
        for number in rest where addresses[number].state == .candidate { takeTurn(number, isCrawled: false) }
    }
}

/// The need for an address.
private struct Wish {
    var number: Int32
    var asDocument: Bool
    /// Redirects between a link and here.
    var hops: UInt8
    /// Whether a crawled page redirects here.
    var takesPlace: Bool
}
