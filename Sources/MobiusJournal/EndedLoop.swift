public import MobiusWire

/// A loop that has ended and is kept for readers.
public struct EndedLoop: Equatable, Sendable {
    /// Its name.
    public var loop: LoopID
    /// Its last event: it, or an operator after it, has ended the loop.
    public var sequence: UInt64
    /// The time at which it ended.
    public var time: WallTime
    /// Whether a later event begins it again.
    public var mayBeginAgain: Bool
    /// The events for other loops that it had asked for and that were not delivered at its end.
    public var outstanding: UInt32
    /// Whether a part of it is deleted: the rest is to be deleted, too, and nothing of it can be read.
    public var isRemoving = false

    /// Describes an ended loop.
    public init(loop: LoopID, sequence: UInt64, time: WallTime, mayBeginAgain: Bool, outstanding: UInt32 = 0) {
        self.loop = loop
        self.sequence = sequence
        self.time = time
        self.mayBeginAgain = mayBeginAgain
        self.outstanding = outstanding
    }

    /// The loop that this note on an effect, or on none, ends; `nil` for any other note.
    package init?(_ note: EffectNote, on effect: EffectID, at sequence: UInt64) {
        guard case .loopEnded(let mayBeginAgain, let outstanding, let time) = note else { return nil }
        self.init(
            loop: effect.loop, sequence: sequence, time: time, mayBeginAgain: mayBeginAgain, outstanding: outstanding)
    }
}
