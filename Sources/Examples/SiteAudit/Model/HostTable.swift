/// The state of one origin for politeness.
struct HostRecord: Sendable, Equatable {
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

    init(origin: String, delay: Int) {
        self.origin = origin
        self.delay = delay
    }

    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        origin = try reader.text()
        delay = try reader.number()
        inFlight = try reader.number()
        pause = try reader.number()
        isReady = try reader.number(Int.self) == 1
        queue = try NumberQueue(from: &reader)
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(origin)
        writer.put(delay)
        writer.put(inFlight)
        writer.put(pause)
        writer.put(isReady ? 1 : 0)
        queue.pack(into: &writer)
    }
}

/// The origins with their queues, and the ready ones in turn.
struct HostTable: Sendable, Equatable {
    var hosts: [HostRecord] = []
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

extension HostTable: PackedCodable {
    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        hosts = try reader.array { reader throws(PackedReader.Damaged) in try HostRecord(from: &reader) }
        ready = try NumberQueue(from: &reader)
        for (number, host) in hosts.enumerated() { numbers[host.origin] = Int32(number) }
    }

    func pack(into writer: inout PackedWriter) {
        writer.put(hosts) { $0.pack(into: &$1) }
        ready.pack(into: &writer)
    }
}
