/// Temporary failures are retried before a link is reported as broken.
///
/// An address waits for one second, then two, then four; `Retry-After` is honoured up to a minute. For an origin that
/// refuses connections, or reports too many requests, all requests pause meanwhile. Pauses occupy no slot. A time-out
/// was a pause already: the address is asked once more, after those that are queued.
extension Audit.Model {
    /// The number of failures in a row that count as a failure of the origin.
    private static var strikes: Int { 4 }
    /// The number of pauses in a row, half a minute, after which the origin is given up.
    private static var rounds: Int { 5 }
    /// The longest honoured `Retry-After`, in milliseconds.
    private static var longestPause: Int { 60_000 }

    /// Returns whether an address is requested again, and schedules it.
    mutating func putOff(_ number: Int32, after received: Received, _ effects: inout [Audit.Effect]) -> Bool {
        let (host, key) = (addresses[number].host, Int(number))
        guard let passing = Passing(received) else {
            retries.failures[key] = nil
            retries.hosts[Int(host)] = nil
            return false
        }
        var trouble = retries.hosts[Int(host)] ?? Retries.Trouble()
        trouble.strikes = min(trouble.strikes + 1, Self.strikes)
        defer { retries.hosts[Int(host)] = trouble }
        let isHosts = passing.isSilence && trouble.strikes >= Self.strikes
        let failures = (retries.failures[key] ?? 0) + 1
        guard failures < passing.attempts, trouble.rounds < Self.rounds else {
            if passing.isSlow, isHosts { trouble.rounds = min(trouble.rounds + 1, Self.rounds) }
            retries.failures[key] = nil
            return false
        }
        retries.failures[key] = failures
        addresses[number].state = .queued
        counts.inFlight -= 1
        counts.queued += 1
        hosts[host].inFlight -= 1
        placeAnew(number)
        if passing.isThrottled || isHosts && passing.isSlow == false {
            hosts[host].queue.append(number)
            pauseHost(host, &trouble, passing, &effects)
            return true
        }
        if passing.isSlow {
            hosts[host].queue.append(number)
        } else {
            pause(number: key, of: hosts[host].origin, for: Self.pause(failures, passing), &effects)
        }
        hosts.offer(host, perHost: request?.perHost ?? 1)
        return true
    }

    /// Pauses all requests to a host; failures of requests that were pending when the pause began do not count.
    private mutating func pauseHost(
        _ host: Int32, _ trouble: inout Retries.Trouble, _ passing: Passing, _ effects: inout [Audit.Effect]
    ) {
        guard trouble.pause == 0 || hosts[host].pause != trouble.pause else { return }
        trouble.rounds += 1
        tokens += 1
        trouble.pause = tokens
        hosts[host].pause = tokens
        let milliseconds = max(Self.pause(trouble.rounds, passing), hosts[host].delay)
        effects.append(.wait(Wait(origin: hosts[host].origin, token: tokens, milliseconds: milliseconds)))
    }

    /// Turns a failed check into a page request, if a document link was found meanwhile.
    private mutating func placeAnew(_ number: Int32) {
        guard addresses[number].isPage, addresses[number].flags.contains(.wasPage) == false else { return }
        frontier.openPages -= 1  // it is counted where it is placed
        place(number)
    }

    /// Whether `robots.txt` is requested again.
    mutating func putOffRobots(after received: Received, _ effects: inout [Audit.Effect]) -> Bool {
        guard let passing = Passing(received) else { return false }
        let failures = (retries.failures[Retries.robots] ?? 0) + 1
        guard failures < passing.attempts else { return false }
        retries.failures[Retries.robots] = failures
        if passing.isSlow {
            askRobots(opening.robotsURL, &effects)
        } else {
            pause(number: Retries.robots, of: opening.robotsURL, for: Self.pause(failures, passing), &effects)
        }
        return true
    }

    private mutating func pause(
        number: Int, of origin: String, for milliseconds: Int, _ effects: inout [Audit.Effect]
    ) {
        tokens += 1
        retries.paused[tokens] = number
        effects.append(.wait(Wait(origin: origin, token: tokens, milliseconds: milliseconds)))
    }

    private static func pause(_ failures: Int, _ passing: Passing) -> Int {
        max(1_000 << min(max(failures - 1, 0), 5), min(passing.retryAfter, longestPause / 1_000) * 1_000)
    }

    /// The pause with this token is over: returns whether it was one of an address.
    mutating func takeUp(_ token: Int, _ effects: inout [Audit.Effect]) -> Bool {
        guard let key = retries.paused.removeValue(forKey: token) else { return false }
        guard key != Retries.robots else {
            if phase == .readingRobots { askRobots(opening.robotsURL, &effects) }
            return true
        }
        guard let number = Int32(exactly: key), 0..<addresses.count ~= number, addresses[number].state == .queued else {
            return true
        }
        let host = addresses[number].host
        hosts[host].queue.append(number)
        hosts.offer(host, perHost: request?.perHost ?? 1)
        dispatch(&effects)
        return true
    }
}

/// A temporary failure.
private struct Passing {
    /// In seconds; 0 if the server gave none.
    var retryAfter = 0
    /// The maximum number of attempts; fewer if they are slow or unlikely to succeed.
    var attempts = 4
    /// Whether the server reports too many requests.
    var isThrottled = false
    /// Whether there was no answer at all.
    var isSilence = false
    /// Whether the failure took so long that no pause is needed.
    var isSlow = false

    init?(_ received: Received) {
        switch received {
        case .failed(.connectionFailed), .failed(.brokenOff): isSilence = true
        case .failed(.hostNotFound): (isSilence, attempts) = (true, 2)
        case .failed(.timedOut): (isSilence, isSlow, attempts) = (true, true, 2)
        case .failed: return nil
        case .answered(let answer):
            switch answer.status {
            case 429: isThrottled = true
            case 408, 425, 502, 503, 504: break
            default: return nil
            }
            retryAfter = max(0, answer.retryAfter ?? 0)
        }
    }
}
