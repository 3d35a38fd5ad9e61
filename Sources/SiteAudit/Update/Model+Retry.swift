/// What may pass is tried again before a link is called broken.
///
/// An address waits for a second, then two, then four; `Retry-After` is honoured up to a minute. An origin that takes no
/// connections, or says that it is asked too often, is left alone as a whole meanwhile. None of it holds a slot.
extension Audit.Model {
    /// How often something is asked for at most.
    private static var attempts: Int { 4 }
    /// How often when each attempt takes long, or hope is small.
    private static var fewAttempts: Int { 2 }
    /// So many failures in a row are the origin's, not the address's.
    private static var strikes: Int { 4 }
    /// So many pauses in a row, half a minute, and the origin is given up.
    private static var rounds: Int { 5 }
    /// The longest `Retry-After` that is waited for, in milliseconds.
    private static var longestPause: Int { 60_000 }

    /// Whether an address is asked for again, and if so, puts it off.
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
        // What was under way when the pause began says nothing new.
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

    /// Lets a mere check that fails be a page from now on, if a document link was found meanwhile.
    private mutating func placeAnew(_ number: Int32) {
        let flags = addresses[number].flags
        guard flags.isSuperset(of: [.isDocument, .isLocal]), flags.contains(.wasPage) == false else { return }
        frontier.openPages -= 1  // it is counted where it is placed
        place(number)
    }

    /// Whether `robots.txt` is asked for again.
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

    /// The pause with this token is over: answers whether it was one of an address.
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

/// A failure that may pass.
private struct Passing {
    /// In seconds; 0 when the server did not say.
    var retryAfter = 0
    /// Whether a few more attempts are worth their time.
    var isHopeful = true
    /// Whether the server is asked too often.
    var isThrottled = false
    /// Whether nobody answered at all.
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
