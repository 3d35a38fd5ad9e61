public import Foundation

/// What a program may know besides its model and the event: whose event it is, when it is applied, and a chance that a
/// replay repeats.
///
/// All of it is in the journal or derived from that, so each replay of an event gets an equal context. A program that
/// uses it conforms to ``ContextLoopProgram`` or ``InPlaceContextLoopProgram``.
public struct LoopContext: Hashable, Sendable {
    /// The name of the loop, such as `order/4711`.
    public let loop: String
    /// The event's number in its loop.
    ///
    /// A loop's start has the number 0, or a greater one in a journal from which ended loops were removed; the events after it
    /// count on from there. So it tells events apart, and not which is the first. Without a coordinator it counts the calls of the
    /// update.
    public let number: UInt64
    /// When the event is applied, by the coordinator's wall clock, in milliseconds since the beginning of 1970, UTC, as its
    /// record in the journal says.
    ///
    /// Wall clocks jump: it may be before that of an earlier event.
    public let milliseconds: Int64
    /// The name of the loop that sent the event, by a route to this loop; `nil` for any other event, and for the loop's start.
    ///
    /// In the first event of a loop that another one begins it is that one: so no event has to name it.
    public let sender: String?

    /// Describes an event of a loop; with the defaults, the start of the loop `main` at the beginning of 1970.
    public init(loop: String = "main", number: UInt64 = 0, milliseconds: Int64 = 0, sender: String? = nil) {
        self.loop = loop
        self.number = number
        self.milliseconds = milliseconds
        self.sender = sender
    }

    /// Describes an event of a loop at a time, of which whole milliseconds count.
    public init(loop: String = "main", number: UInt64 = 0, time: Date, sender: String? = nil) {
        self.init(
            loop: loop, number: number,
            milliseconds: Int64(exactly: (time.timeIntervalSince1970 * 1000).rounded()) ?? .max, sender: sender)
    }

    /// When the event is applied; see ``milliseconds``.
    public var time: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The loop's name behind its first slash: `4711` for `order/4711`; the whole name when it has no slash.
    public var key: Substring {
        // By bytes, as names are compared: a letter may have the slash as a part of it.
        guard let slash = loop.utf8.firstIndex(of: UInt8(ascii: "/")) else { return loop[...] }
        return Substring(loop.utf8[loop.utf8.index(after: slash)...])
    }

    /// A source of random numbers, seeded by loop, number and time.
    ///
    /// It begins anew at each read, so keep it in a variable to draw several numbers. They are no secrets: whoever knows the
    /// context can compute them.
    public var random: LoopRandom { LoopRandom(seed: hash(startingWith: 0xcbf2_9ce4_8422_2325)) }

    /// Returns an identifier made of loop, number and time, in the form of a UUID (RFC 9562, version 8).
    ///
    /// It is the same in each replay, and another one for each event and each `index`. Like ``random`` it is no secret.
    ///
    /// - Parameter index: Tells several identifiers of one event apart.
    public func id(_ index: Int = 0) -> String {
        // Two seeds, so that 122 bits of it depend on the whole context.
        var (one, other) = (random, LoopRandom(seed: hash(startingWith: 0x9e37_79b9_7f4a_7c15)))
        one.skip(to: index)
        other.skip(to: index)
        let high = one.next() & ~0xf000 | 0x8000
        let low = other.next() & ~(0b11 << 62) | 0b10 << 62
        let digits = Self.hexadecimal(high) + Self.hexadecimal(low)
        var text = ""
        for (position, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(position) { text += "-" }
            text.append(digit)
        }
        return text
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// FNV-1a (draft-eastlake-fnv) of loop, number and time.
    private func hash(startingWith basis: UInt64) -> UInt64 {
        var hash = basis
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in loop.utf8 { add(byte) }
        for word in [number, UInt64(bitPattern: milliseconds)] {
            for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return hash
    }
}

/// Random numbers that a replay repeats: the sequence depends on the seed only.
///
/// It is SplitMix64 (Steele, Lea and Flood 2014). The same seed gives the same numbers in each version of this package.
public struct LoopRandom: RandomNumberGenerator, Hashable, Sendable {
    private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15
    private var state: UInt64

    /// Makes a source that begins at this seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= Self.step
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    /// Leaves out this many numbers.
    fileprivate mutating func skip(to index: Int) { state &+= UInt64(bitPattern: Int64(index)) &* Self.step }
}
