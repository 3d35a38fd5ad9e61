/// Schedules requests: the limits on pending requests, in total and per host, and the pauses between them.
extension Audit.Model {
    /// The longest pause that a `robots.txt` can demand, in milliseconds.
    private static var longestCrawlDelay: Int { 10_000 }

    /// Queues an address.
    mutating func enqueue(_ number: Int32) {
        let record = addresses[number]
        var host = record.host
        if host < 0 {
            let isLocal = record.flags.contains(.isLocal)
            // Parsing a URL is the most expensive step here, and most URLs are of the crawled origin.
            let origin = isLocal ? String(origin.dropLast()) : WebURL(addresses.url(number))?.origin ?? ""
            host = hosts.number(of: origin, delay: isLocal ? localDelay : request?.delay ?? 0)
            addresses[number].host = host
        }
        addresses[number].state = .queued
        counts.queued += 1
        if record.isPage { frontier.openPages += 1 }
        hosts[host].queue.append(number)
        hosts.offer(host, perHost: request?.perHost ?? 1)
    }

    private var localDelay: Int {
        max(request?.delay ?? 0, min(robots.crawlDelay ?? 0, Self.longestCrawlDelay))
    }

    /// Sends as many requests as the limits allow, host by host in turn.
    mutating func dispatch(_ effects: inout [Audit.Effect]) {
        let limit = request?.concurrency ?? 1
        while counts.inFlight < limit, let host = hosts.next() {
            guard let number = popQueued(host) else { continue }
            send(number, host, &effects)
            hosts.offer(host, perHost: request?.perHost ?? 1)
        }
    }

    /// The next address in a host's queue that still has to be requested; some have been moved meanwhile.
    private mutating func popQueued(_ host: Int32) -> Int32? {
        while let number = hosts[host].queue.popFirst() {
            if addresses[number].state == .queued { return number }
        }
        return nil
    }

    private mutating func send(_ number: Int32, _ host: Int32, _ effects: inout [Audit.Effect]) {
        addresses[number].state = .inFlight
        if addresses[number].isPage { addresses[number].flags.insert(.wasPage) }
        counts.queued -= 1
        counts.inFlight += 1
        hosts[host].inFlight += 1
        let (url, origin) = (addresses.url(number), hosts[host].origin)
        effects.append(
            .fetch(
                FetchRequest(
                    url: url, purpose: purpose(of: number), timeLimit: request?.timeLimit,
                    retry: retries.failures[Int(number)], credentials: credentials(for: url),
                    cookies: cookies(for: origin))))
        let delay = hosts[host].delay
        guard delay > 0 else { return }
        tokens += 1
        hosts[host].pause = tokens
        effects.append(.wait(Wait(origin: origin, token: tokens, milliseconds: delay)))
    }

    /// A pause is over.
    ///
    /// A pause of an earlier audit, or a repetition, changes nothing.
    mutating func resume(_ wait: Wait, _ effects: inout [Audit.Effect]) -> Bool {
        if takeUp(wait.token, &effects) { return true }
        guard let host = hosts.known(wait.origin), hosts[host].pause == wait.token else { return false }
        hosts[host].pause = 0
        hosts.offer(host, perHost: request?.perHost ?? 1)
        dispatch(&effects)
        return true
    }
}
