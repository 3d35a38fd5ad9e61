public import MobiusCore
public import MobiusWire

extension TestFleet {
    /// Where an effect stands.
    public enum EffectState: Sendable, Hashable {
        /// Until a worker has room and its turn comes; also while no coordinator runs.
        case waiting
        /// Until its handler ends.
        case running
        /// Until the pause before its next attempt is over.
        case pausing
        /// Until its time comes.
        case timer
        /// It is over: done, cancelled, or failed without a dead letter.
        case ended
        /// It has failed for good, and is kept as a dead letter.
        case dead
    }

    /// An effect that was asked for.
    public struct EffectRecord: Sendable {
        /// Its name, which is its handlers' idempotency key.
        public let id: EffectID
        /// The effect.
        public let effect: Program.Effect
        /// The pool of its route; `nil` where the coordinator does it itself.
        public let pool: String?
        /// Where it stands.
        public let state: EffectState
        /// How often a handler began for it.
        public let attempts: Int
    }

    /// An effect that has failed for good.
    public struct DeadLetterRecord: Sendable {
        /// The effect's name.
        public let id: EffectID
        /// The effect.
        public let effect: Program.Effect
        /// Why it failed, in a sentence.
        public let reason: String
        /// How many of its attempts failed.
        public let failures: Int
    }

    /// What came of one run of a handler.
    public enum Outcome: Sendable, Hashable {
        /// It has not ended.
        case running
        /// It ended as it wanted to.
        case finished
        /// It failed, for this reason.
        case failed(String)
        /// It was told to stop, and did.
        case cancelled
        /// Its process was killed, or left without it.
        case lost
    }

    /// One run of a handler.
    public struct HandlerRecord: Sendable {
        /// The effect's name.
        public let id: EffectID
        /// The effect.
        public let effect: Program.Effect
        /// Which attempt it was.
        public let attempt: Attempt
        /// The process, such as `bank 0#2`: the second one in the place of the pool's worker 0; or `coordinator#1`.
        public let process: String
        /// What came of it.
        public let outcome: Outcome
        /// What it said, whether or not that arrived.
        public let events: [Program.Event]
        /// When it began, since the fleet was made.
        public let began: Duration
    }
}

extension TestFleet.EffectRecord: Equatable where Program.Effect: Equatable {}
extension TestFleet.DeadLetterRecord: Equatable where Program.Effect: Equatable {}
extension TestFleet.HandlerRecord: Equatable where Program.Effect: Equatable, Program.Event: Equatable {}
