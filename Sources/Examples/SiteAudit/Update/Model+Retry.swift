/// Temporary failures are retried before a link is reported as broken.
///
/// An address waits for one second, then two, then four; `Retry-After` is honoured up to a minute. For an origin that
/// refuses connections, or reports too many requests, all requests pause meanwhile. Pauses occupy no slot.
extension Audit.Model {
    /// The maximum number of attempts.
    private static var attempts: Int { 4 }
    /// The maximum number of attempts if they are slow or unlikely to succeed.
    private static var fewAttempts: Int { 2 }
    /// The number of failures in a row that count as a failure of the origin.
    private static var strikes: Int { 4 }
    /// The number of pauses in a row, half a minute, after which the origin is given up.
    private static var rounds: Int { 5 }
    /// The longest honoured `Retry-After`, in milliseconds.
    private static var longestPause: Int { 60_000 }

    /// Returns whether an address is requested again, and schedules it.
    mutating func putOff(_ number: Int32, after received: Received, _ effects: inout [Audit.Effect]) -> Bool {
        let host = addresses[number].host
        guard let passing = Passing(received) else {
            retries.failures[number] = nil
            retries.hosts[host] = nil
            return false
        }
        var trouble = retries.hosts[host] ?? Retries.Trouble()
        trouble.strikes = min(trouble.strikes + 1, Self.strikes)
        defer { retries.hosts[host] = trouble }
        let failures = (retries.failures[number] ?? 0) + 1
        guard failures < (passing.isHopeful ? Self.attempts : Self.fewAttempts), trouble.rounds < Self.rounds else {
            retries.failures[number] = nil
            return false
        }
        retries.failures[number] = failures
        addresses[number].state = .queued
        counts.inFlight -= 1
        counts.queued += 1
        hosts[host].inFlight -= 1
        placeAnew(number)
        let isOfHost = passing.isThrottled || passing.isSilence && trouble.strikes >= Self.strikes
        guard isOfHost else {
            pause(number, of: hosts[host].origin, for: Self.pause(failures, passing), &effects)
            hosts.offer(host, perHost: request?.perHost ?? 1)
            return true
        }
        hosts[host].queue.append(number)
        // Failures of requests that were pending when the pause began do not count.
        if trouble.pause == 0 || hosts[host].pause != trouble.pause {
            trouble.rounds += 1
            tokens += 1
            trouble.pause = tokens
            hosts[host].pause = tokens
            let milliseconds = max(Self.pause(trouble.rounds, passing), hosts[host].delay)
            effects.append(.wait(Wait(origin: hosts[host].origin, token: tokens, milliseconds: milliseconds)))
        }
        return true
    }

    /// Turns a failed check into a page request, if a document link was found meanwhile.
    private mutating func placeAnew(_ number: Int32) {
        let flags = addresses[number].flags
        guard flags.isSuperset(of: [.isDocument, .isLocal]), flags.contains(.wasPage) == false else { return }
        frontier.openPages -= 1  // it is counted where it is placed
        place(number)
    }

    /// Whether `robots.txt` is requested again.
    mutating func putOffRobots(after received: Received, _ effects: inout [Audit.Effect]) -> Bool {
        guard let passing = Passing(received) else { return false }
        let failures = (retries.failures[Retries.robots] ?? 0) + 1
        guard failures < (passing.isHopeful ? Self.attempts : Self.fewAttempts) else { return false }
        retries.failures[Retries.robots] = failures
        pause(Retries.robots, of: opening.robotsURL, for: Self.pause(failures, passing), &effects)
        return true
    }

    private mutating func pause(
        _ number: Int32, of origin: String, for milliseconds: Int, _ effects: inout [Audit.Effect]
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
        guard let number = retries.paused.removeValue(forKey: token) else { return false }
        guard number != Retries.robots else {
            if phase == .readingRobots { askRobots(opening.robotsURL, &effects) }
            return true
        }
        guard 0..<Int32(addresses.count) ~= number, addresses[number].state == .queued else { return true }
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
    /// Whether the full number of attempts is useful.
    var isHopeful = true
    /// Whether the server reports too many requests.
    var isThrottled = false
    /// Whether there was no answer at all.
    var isSilence = false

    init?(_ received: Received) {
        switch received {
        case .failed(.connectionFailed): isSilence = true
        case .failed(.timedOut), .failed(.hostNotFound): (isSilence, isHopeful) = (true, false)
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
