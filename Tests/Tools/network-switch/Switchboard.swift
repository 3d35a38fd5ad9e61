/// Decides what becomes of each packet: a pure machine, to which time is told.
struct Switchboard {
    /// An IPv4 address.
    struct Address: Hashable {
        let bytes: [UInt8]

        /// Reads `A.B.C.D`.
        init?(_ text: some StringProtocol) {
            bytes = text.split(separator: ".").compactMap { UInt8($0) }
            guard bytes.count == 4 else { return nil }
        }

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = Array(bytes)
        }
    }

    /// A packet that is on its way.
    struct Delivery {
        let host: Int
        let packet: [UInt8]
        let due: ContinuousClock.Instant
    }

    private struct Host {
        let name: String
        var delay = Duration.zero
        var loss = 0.0
        var isCut = false
    }

    private var hosts: [Host] = []
    private var numbers: [Address: Int] = [:]
    private var random: UInt64
    // In the order in which they fall due.
    private var waiting: [Delivery] = []
    private var (passed, lost) = (0, 0)

    /// Begins without hosts.
    init(seed: UInt64) {
        random = seed
    }

    /// Adds a host, numbered from 0.
    mutating func add(_ name: String, _ address: Address) {
        numbers[address] = hosts.count
        hosts.append(Host(name: name))
    }

    /// When the next packet falls due.
    var nextDue: ContinuousClock.Instant? { waiting.first?.due }

    /// Receives a packet that left a host.
    mutating func receive(_ packet: [UInt8], from host: Int, at now: ContinuousClock.Instant) {
        // Version 4; the receiver's address is the fifth word.
        guard packet.count >= 20, packet[0] >> 4 == 4, let target = numbers[Address(packet[16..<20])] else { return }
        let ends = [hosts[host], hosts[target]]
        guard !ends.contains(where: { $0.isCut || chance() < $0.loss }) else {
            lost += 1
            return
        }
        passed += 1
        let delivery = Delivery(host: target, packet: packet, due: now + ends[0].delay + ends[1].delay)
        let index = waiting.lastIndex { $0.due <= delivery.due }.map { $0 + 1 } ?? 0
        waiting.insert(delivery, at: index)
    }

    /// The packets that are due.
    mutating func due(at now: ContinuousClock.Instant) -> [Delivery] {
        let count = waiting.firstIndex { $0.due > now } ?? waiting.count
        defer { waiting.removeFirst(count) }
        return Array(waiting[..<count])
    }

    /// Obeys a line; answers what is to be printed, or `nil` for what it does not know.
    mutating func obey(_ line: String) -> String? {
        let words = line.split(separator: " ")
        if words == ["count"] { return "count passed=\(passed) lost=\(lost)" }
        guard words.count >= 2, let index = hosts.firstIndex(where: { $0.name == words[1] }) else { return nil }
        let number = words.count == 3 ? Double(words[2]) : nil
        switch (words[0], number) {
        case ("delay", let milliseconds?): hosts[index].delay = .milliseconds(milliseconds)
        case ("loss", let percent?): hosts[index].loss = percent / 100
        case ("cut", nil): hosts[index].isCut = true
        case ("mend", nil): hosts[index].isCut = false
        default: return nil
        }
        return "done \(line)"
    }

    /// A number from 0 up to 1, the next of the seed's (SplitMix64).
    private mutating func chance() -> Double {
        random &+= 0x9e37_79b9_7f4a_7c15
        var mixed = random
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return Double((mixed ^ mixed >> 31) >> 11) / Double(UInt64(1) << 53)
    }
}
