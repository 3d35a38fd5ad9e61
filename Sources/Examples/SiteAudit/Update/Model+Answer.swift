extension Audit.Model {
    /// Handles an answer.
    ///
    /// An unexpected answer changes nothing, because effects may run twice.
    mutating func receive(_ received: Received, to asked: FetchRequest, _ effects: inout [Audit.Effect]) -> Bool {
        if asked.purpose == .robots {
            guard phase == .readingRobots, asked.url == opening.robotsURL,
                asked.retry == retries.failures[Retries.robots]
            else { return false }
            if putOffRobots(after: received, &effects) { return true }
            retries.failures[Retries.robots] = nil
            readRobots(received, &effects)
            return true
        }
        guard phase == .opening || phase == .crawling, let number = addresses.known(asked.url) else { return false }
        guard addresses[number].state == .inFlight,
            addresses[number].flags.contains(.wasPage) == (asked.purpose == .page),
            asked.retry == retries.failures[number]
        else { return false }
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
        guard phase == .opening || phase == .crawling, asked.purpose == .page,
            let number = addresses.known(asked.url), addresses[number].state == .inFlight,
            addresses[number].flags.contains(.wasPage), asked.retry == retries.failures[number]
        else { return false }
        return partials.take(part, of: number)
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
        if addresses[number].flags.isSuperset(of: [.isDocument, .isLocal]) { frontier.openPages -= 1 }
        let host = addresses[number].host
        hosts[host].inFlight -= 1
        hosts.offer(host, perHost: request?.perHost ?? 1)
    }

    private mutating func note(_ received: Received, _ number: Int32) {
        switch received {
        case .failed(let failure):
            addresses[number].state = .failed
            addresses[number].status = failure.code
        case .answered(let answer):
            addresses[number].state = .answered
            addresses[number].status = UInt16(clamping: answer.status)
            addresses[number].target = -1
            addresses.setType(answer.contentType, of: number)
            guard answer.isRedirect, let target = Redirect.target(answer.location) else { return }
            addresses[number].target = addresses.number(of: target.url)
            addresses.redirectFragments[number] = target.fragment
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
        let record = addresses[number]
        if record.target >= 0 {
            if awaitsLevel(number) { place(number) } else { passOn(number) }
        } else if isPageUnread(number) {
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
            effects.append(.showProgress(progress))
        }
    }

    var progress: AuditProgress {
        AuditProgress(
            request: request?.id ?? "", pages: counts.pages, links: counts.links, broken: broken.links.count,
            checked: counts.checked,
            known: counts.checked + counts.queued + counts.inFlight + frontier.candidates.count
                + frontier.remaining.count)
    }
}
