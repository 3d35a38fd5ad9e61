/// Numbers, first in, first out, at constant cost.
struct NumberQueue: Codable, Sendable, Equatable {
    @Packed private var numbers: [Int32] = []
    private var head = 0

    var isEmpty: Bool { head == numbers.count }

    mutating func append(_ number: Int32) { numbers.append(number) }

    mutating func popFirst() -> Int32? {
        guard head < numbers.count else { return nil }
        defer { shrink() }
        head += 1
        return numbers[head - 1]
    }

    /// Moves the rest to the front once the gap is the larger half: each number is moved once at most on average.
    private mutating func shrink() {
        guard head > 32, head * 2 > numbers.count else { return }
        numbers.removeFirst(head)
        head = 0
    }
}

/// The state of one origin for politeness.
struct HostRecord: Codable, Sendable, Equatable {
    /// Scheme, host and port.
    var origin: String
    /// From the start of one request to the start of the next, in milliseconds.
    var delay: Int
    var inFlight = 0
    /// The token of the current pause; 0 for none.
    var pause = 0
    /// Whether it is among the ready ones.
    var isReady = false
    var queue = NumberQueue()
}

/// The origins with their queues, and the ready ones in turn.
struct HostTable: Codable, Sendable, Equatable {
    private var hosts: [HostRecord] = []
    private var numbers: [String: Int32] = [:]
    private var ready = NumberQueue()

    /// The number of the host of `origin`, a new one for a new origin.
    mutating func number(of origin: String, delay: Int) -> Int32 {
        if let number = numbers[origin] { return number }
        let number = Int32(hosts.count)
        numbers[origin] = number
        hosts.append(HostRecord(origin: origin, delay: delay))
        return number
    }

    func known(_ origin: String) -> Int32? { numbers[origin] }

    subscript(_ number: Int32) -> HostRecord {
        get { hosts[Int(number)] }
        _modify { yield &hosts[Int(number)] }
    }

    /// Makes the host ready, if it has requests and politeness allows them.
    mutating func offer(_ number: Int32, perHost: Int) {
        let index = Int(number)
        guard hosts[index].isReady == false, hosts[index].pause == 0, hosts[index].inFlight < perHost,
            hosts[index].queue.isEmpty == false
        else { return }
        hosts[index].isReady = true
        ready.append(number)
    }

    /// The next ready host; it has to be made ready again.
    mutating func next() -> Int32? {
        guard let number = ready.popFirst() else { return nil }
        hosts[Int(number)].isReady = false
        return number
    }
}

/// Chooses the pages to crawl under a limit: level by level, so that the choice does not depend on the order of
/// answers.
struct Frontier: Codable, Sendable, Equatable {
    /// The depth of the current level, in links from the start.
    var level = 0
    /// Pages of the current level that were not chosen yet, in reverse alphabetical order.
    @Packed var remaining: [Int32] = []
    /// Pages found one link further.
    @Packed var candidates: [Int32] = []
    /// Addresses requested, or to be requested, as pages that have not answered yet: a level ends when there are none.
    ///
    /// Pages that are not crawled count too, because they may redirect to some that are.
    var openPages = 0
}

/// Requests that failed temporarily, and are repeated.
struct Retries: Codable, Sendable, Equatable {
    /// An origin with failures.
    struct Trouble: Codable, Sendable, Equatable {
        /// Failures since the last good answer.
        var strikes = 0
        /// Pauses of the whole origin, or requests that timed out twice, since then.
        var rounds = 0
        /// The current or last pause of the whole origin.
        var pause = 0
    }

    /// Represents `robots.txt`, which is not an address of the table.
    static let robots = -1

    /// The number of times that each address has failed so.
    var failures: [Int: Int] = [:]
    /// The addresses that wait for the end of a pause, by its token.
    var paused: [Int: Int] = [:]
    /// The origins in trouble, by host.
    var hosts: [Int: Trouble] = [:]
}
