/// The name of one loop, chosen by its user.
///
/// ```swift
/// guard let order = LoopID("order/\(number)") else { return nil }  // longer than 128 bytes
/// ```
/// 1…128 bytes of UTF-8. A program with a single loop calls it ``main``.
public struct LoopID: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in bytes of UTF-8.
    public static let maximumLength = 128

    /// The loop of a program that has only one.
    public static let main = LoopID(unchecked: "main")

    /// The name as its user wrote it.
    public let name: String
    /// The name's hash: machines look effects up again and again, and there are few names.
    ///
    /// Its lowest bit tells that the name is not ASCII, so that there are others that `String` takes for the same.
    @usableFromInline package let hash: UInt32

    /// Makes a loop name, or `nil` when `name` is empty or longer than ``maximumLength`` bytes.
    public init?(_ name: String) {
        guard (1...Self.maximumLength).contains(name.utf8.count) else { return nil }
        self.init(unchecked: name)
    }

    init(unchecked name: String) {
        self.name = name
        var name = name
        hash = name.withUTF8 { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            let hash = UInt32(truncatingIfNeeded: hasher.finalize())
            return hash & ~1 | UInt32(bytes.reduce(0, |) >> 7)
        }
    }

    // Inlinable, because machines look up by names a dozen times for each effect: elsewhere it cost a fifth of one.
    /// Whether both are the same name, byte for byte, as journals take them.
    @inlinable
    public static func == (lhs: LoopID, rhs: LoopID) -> Bool {
        lhs.hash == rhs.hash && lhs.name == rhs.name && (lhs.hash & 1 == 0 || hasSameBytes(lhs, rhs))
    }

    @usableFromInline @inline(never)
    static func hasSameBytes(_ lhs: LoopID, _ rhs: LoopID) -> Bool {
        lhs.name.utf8.elementsEqual(rhs.name.utf8)
    }

    /// Whether its name comes before another's by their bytes: the order of lists, in journals and in answers.
    package func precedes(_ other: LoopID) -> Bool { name.utf8.lexicographicallyPrecedes(other.name.utf8) }

    /// Feeds the hasher the name's hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    /// See ``EffectID/_rawHashValue(seed:)``.
    public func _rawHashValue(seed: Int) -> Int { mixed(UInt64(hash), seed: seed) }

    /// The name itself.
    public var description: String { name }
}

/// The name of one effect: which loop asked for it, in answer to which event, and as which of that event's effects.
///
/// It is the same in every attempt and after every restart, so it serves as the idempotency key.
public struct EffectID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The loop that asked.
    public let loop: LoopID
    // Declared before the sequence, because it fits into the gap behind the loop.
    /// The position in that event's effects, counted from 0.
    public let index: UInt32
    /// The sequence number of the event that asked; that of the loop's start is 0, or above those of all loops that were
    /// removed from the journal before.
    public let sequence: UInt64

    /// Names an effect.
    public init(loop: LoopID, sequence: UInt64, index: UInt32) {
        self.loop = loop
        self.sequence = sequence
        self.index = index
    }

    /// Whether both are the same effect: looked at first is in what those of one loop differ.
    public static func == (lhs: EffectID, rhs: EffectID) -> Bool {
        lhs.sequence == rhs.sequence && lhs.index == rhs.index && lhs.loop == rhs.loop
    }

    /// `loop/sequence/index`, the form shown in logs and handed to handlers.
    public var description: String { "\(loop.name)/\(sequence)/\(index)" }

    /// Feeds the hasher in one step; a machine looks effects up a dozen times each.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    /// The hash that dictionaries and sets use, in a tenth of the time that a hasher takes.
    public func _rawHashValue(seed: Int) -> Int { mixed(hash, seed: seed) }

    /// Peers choose these numbers: it depends on keys that they do not know, or they could choose ones that fall together.
    fileprivate var hash: UInt64 {
        let keys = HashKeys.shared
        return folded(sequence ^ keys.sequence, (UInt64(loop.hash) << 32 | UInt64(index)) ^ keys.index)
    }

    /// Orders by the bytes of the loops' names, as journals do, then in the order the effects were asked for.
    public static func < (lhs: EffectID, rhs: EffectID) -> Bool {
        if lhs.loop != rhs.loop { return lhs.loop.precedes(rhs.loop) }
        return (lhs.sequence, lhs.index) < (rhs.sequence, rhs.index)
    }
}

/// One try at an effect.
///
/// The epoch grows at each start of a coordinator on a journal, `number` at each dispatch in that epoch, so that of two
/// attempts at one effect the later one always compares greater.
public struct Attempt: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The coordinator's epoch at dispatch, from 1.
    public let epoch: UInt64
    /// The number of its dispatch in this epoch, from 1; each retry by an operator begins at the next multiple of 2²⁰.
    public let number: UInt32

    /// Names an attempt.
    public init(epoch: UInt64, number: UInt32) {
        self.epoch = epoch
        self.number = number
    }

    /// The number of attempt numbers of each retry by an operator, so that no attempt's name is used twice.
    package static let numbersPerRound: UInt32 = 1 << 20

    /// The number of times that an operator had retried the effect.
    package var round: UInt32 { number / Self.numbersPerRound }

    /// `epoch.number`, such as `3.1`; of an effect that an operator retried `3.1 (retry 1)`, the number counted from there.
    ///
    /// It is meant for people; ``epoch`` and ``number`` are what is on the wire and in journals.
    public var description: String {
        round == 0 ? "\(epoch).\(number)" : "\(epoch).\(number % Self.numbersPerRound) (retry \(round))"
    }

    /// Orders by epoch, then by number.
    public static func < (lhs: Attempt, rhs: Attempt) -> Bool {
        (lhs.epoch, lhs.number) < (rhs.epoch, rhs.number)
    }
}

/// One attempt at one effect: what a worker runs, reports on and is acknowledged for.
public struct AttemptID: Hashable, Sendable, CustomStringConvertible {
    /// The effect.
    public let effect: EffectID
    /// The try at it.
    public let attempt: Attempt

    /// Names an attempt at an effect.
    public init(effect: EffectID, attempt: Attempt) {
        self.effect = effect
        self.attempt = attempt
    }

    /// Feeds the hasher the effect and the attempt: a peer may list many attempts at one effect.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    /// See ``EffectID/_rawHashValue(seed:)``.
    public func _rawHashValue(seed: Int) -> Int { mixed(hash, seed: seed) }

    private var hash: UInt64 {
        let keys = HashKeys.shared
        return folded(effect.hash ^ attempt.epoch ^ keys.epoch, UInt64(attempt.number) ^ keys.number)
    }

    /// `loop/sequence/index@epoch.number`, as ``Attempt/description`` shows the attempt.
    public var description: String { "\(effect)@\(attempt)" }
}

/// Spreads a number over all bits of a hash, another way for each table.
private func mixed(_ number: UInt64, seed: Int) -> Int {
    Int(truncatingIfNeeded: folded(number ^ UInt64(truncatingIfNeeded: seed), 0x9E37_79B9_7F4A_7C15))
}

/// Both halves of the product, one upon the other.
private func folded(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
}

/// The keys of the hashes of names: different in each process, because the standard library seeds its hashes so.
private struct HashKeys {
    // One value, because each static one is checked for being there whenever it is used.
    static let shared = HashKeys()

    let sequence = key(1)
    let index = key(2)
    let epoch = key(3)
    let number = key(4)

    private static func key(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
