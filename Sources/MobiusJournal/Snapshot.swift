public import MobiusWire

/// A loop's whole state after the event `sequence`: recovery starts from the newest one.
public struct Snapshot: Equatable, Sendable {
    /// The loop.
    public var loop: LoopID
    /// The last event that the model contains.
    public var sequence: UInt64
    /// The model, as bytes.
    public var model: Payload
    /// The FNV-1a (64 bits) hash of the model's bytes.
    public var hash: UInt64
    /// The effects that had not ended, in the order they were asked for.
    public var pending: [PendingEffect]

    /// Describes a snapshot.
    public init(loop: LoopID, sequence: UInt64, model: Payload, hash: UInt64, pending: [PendingEffect]) {
        self.loop = loop
        self.sequence = sequence
        self.model = model
        self.hash = hash
        self.pending = pending
    }
}
