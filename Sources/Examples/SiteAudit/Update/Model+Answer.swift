extension Audit.Model {
    /// Handles an answer.
    ///
    /// An unexpected answer changes nothing, because effects may run twice.
    mutating func receive(_ received: Received, to asked: FetchRequest, _ effects: inout [Audit.Effect]) -> Bool {
        if asked.purpose == .robots { return receiveRobots(received, to: asked, &effects) }
        guard let number = pending(asked) else { return false }
        let received = whole(received, number)
        if putOff(number, after: received, &effects) {
            if phase == .opening { dispatch(&effects) } else { proceed(&effects) }
            return true
        }
        close(number)
        note(received, number)
        if phase == .opening {
            openAnswered(number, received, &effects)
        } else {
            if let page = received.page, addresses[number].flags.contains(.wasPage) { crawl(page, number) }
            followUp(number)
        }
        proceed(&effects)
        return true
    }

    /// Keeps a part of a page until its end comes; a repeated or unexpected part changes nothing.
    mutating func keep(_ part: PagePart, of asked: FetchRequest) -> Bool {
        guard let number = pending(asked), addresses[number].flags.contains(.wasPage) else { return false }
        return partials.accept(part, of: number)
    }

    /// The address that waits for the answer to this request.
    private func pending(_ asked: FetchRequest) -> Int32? {
        guard phase == .opening || phase == .crawling, let known = addresses.known(asked.url),
            let number = asked.purpose == .visit ? addresses.knownVisit(of: known) : known,
            addresses[number].state == .inFlight, purpose(of: number) == asked.purpose,
            asked.retry == retries.failures[Int(number)],
            asked.cookies == cookies(for: hosts[addresses[number].host].origin)
        else { return nil }
        return number
    }

    /// The purpose of an address's pending request.
    func purpose(of number: Int32) -> FetchRequest.Purpose {
        let flags = addresses[number].flags
        return flags.contains(.isVisit) ? .visit : flags.contains(.wasPage) ? .page : .check
    }

    /// The answer with its whole page; parts before a failure are dropped.
    private mutating func whole(_ received: Received, _ number: Int32) -> Received {
        guard case .answered(var answer) = received else {
            _ = partials.complete(nil, after: nil, of: number)
            return received
        }
        answer.page = partials.complete(answer.page, after: answer.partsBefore, of: number)
        return .answered(answer)
    }

    /// The request is no longer pending.
    private mutating func close(_ number: Int32) {
        counts.inFlight -= 1
        counts.checked += 1
        if addresses[number].isPage { frontier.openPages -= 1 }
        let host = addresses[number].host
        hosts[host].inFlight -= 1
        hosts.offer(host, perHost: request?.perHost ?? 1)
    }

    private mutating func note(_ received: Received, _ number: Int32) {
        addresses[number].target = -1
        addresses[number].fragment = -1
        addresses[number].unread = 0
        addresses[number].flags.remove([.wasHead, .setsCookies])
        switch received {
        case .failed(let failure):
            addresses[number].state = .failed
            addresses[number].status = failure.code
        case .answered(let answer):
            addresses[number].state = .answered
            addresses[number].status = UInt16(clamping: answer.status)
            addresses[number].unread = answer.unread?.code ?? 0
            addresses.setType(answer.contentType, of: number)
            if answer.isHead == true { addresses[number].flags.insert(.wasHead) }
            if answer.isRedirect, answer.cookies != nil { addresses[number].flags.insert(.setsCookies) }
            guard let target = Redirect.target(answer.location) else { return }
            if let fragment = target.fragment {
                addresses[number].fragment = addresses.fragments.number(of: fragment)
            }
            guard answer.isRedirect else { return }
            // A visit that ends at a redirect shows no more than the first look did.
            let isVisit = addresses[number].flags.contains(.isVisit)
            addresses[number].target = addresses.number(of: isVisit ? addresses.url(number) : target.url)
        }
    }

    /// Stores the anchors of a page, and handles its links if it is crawled.
    mutating func crawl(_ page: FetchedPage, _ number: Int32) {
        addresses.setAnchors(page.anchors, of: number)
        guard addresses[number].flags.contains(.isCrawled) else { return }
        counts.pages += 1
        see(page.links, on: number)
    }

    /// Handles the consequences of an answer: the redirect's target, a page that was only checked, waiting links.
    private mutating func followUp(_ number: Int32) {
        if addresses[number].target >= 0 {
            if awaitsLevel(number) { place(number) } else { passOn(number) }
        } else if awaitsPage(number) {
            place(number)
        }
        if addresses[number].isSettled { settle(number) }
    }

    /// Sends possible requests; ends the audit if it is complete.
    mutating func proceed(_ effects: inout [Audit.Effect]) {
        guard phase == .crawling else { return }
        advance()
        dispatch(&effects)
        if counts.inFlight == 0, counts.queued == 0 {
            write(&effects)
        } else if counts.checked >= counts.nextProgress {
            counts.nextProgress = counts.checked + min(max(counts.checked / 20, 1), 50)
            effects.append(.showProgress(nextProgress()))
        }
    }

    /// The progress, with broken links that were not shown yet.
    mutating func nextProgress() -> AuditProgress {
        let end = min(counts.shown + AuditProgress.mostFound, AuditProgress.mostShown, broken.count)
        let found = broken[min(counts.shown, end)..<end].map { brokenRow($0).shortened }.filter {
            $0.note.isEmpty == false
        }
        counts.shown = max(counts.shown, end)
        return AuditProgress(
            request: request?.id ?? "", pages: counts.pages, links: counts.links, broken: broken.count,
            checked: counts.checked,
            known: counts.checked + counts.queued + counts.inFlight + frontier.candidates.count
                + frontier.remaining.count,
            found: found)
    }
}

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
    /// The place in `allCases`.
    var code: UInt16 { UInt16(Self.allCases.firstIndex(of: self) ?? 0) }

    init(code: UInt16) { self = Int(code) < Self.allCases.count ? Self.allCases[Int(code)] : .workerFailed }
}

extension FetchAnswer.Unread {
    /// The place in `allCases`, from 1.
    var code: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// `nil` for 0.
    init?(code: UInt8) {
        guard 1...Self.allCases.count ~= Int(code) else { return nil }
        self = Self.allCases[Int(code) - 1]
    }
}

extension FetchAnswer {
    /// Whether the status is a redirect.
    var isRedirect: Bool { Redirect.isStatus(status) }
}

/// The definition of a redirect.
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
