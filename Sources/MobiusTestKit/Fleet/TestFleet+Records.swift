public import MobiusCore
public import MobiusWire

extension TestFleet {
    /// The state of an effect.
    public enum EffectState: Sendable, Hashable {
        /// Waiting for a free worker or a limit.
        ///
        /// While no coordinator runs, all pending effects but timers are in this state.
        case waiting
        /// Assigned to a handler that has not ended.
        case running
        /// Waiting for the pause before the next attempt.
        case pausing
        /// A timer that is not due yet.
        case timer
        /// Ended: finished, cancelled, or failed without a dead letter.
        case ended
        /// Failed for good, and kept as a dead letter.
        case dead
    }

    /// An effect that a loop has requested.
    public struct EffectRecord: Sendable {
        /// The effect's id, whose description is the idempotency key of all its attempts.
        public let id: EffectID
        /// The effect.
        public let effect: Program.Effect
        /// The pool of the effect's route; `nil` if the effect runs in the coordinator.
        public let pool: String?
        /// The effect's state.
        public let state: EffectState
        /// The number of attempts whose handler has started.
        public let attempts: Int
    }

    /// An effect that has failed for good.
    public struct DeadLetterRecord: Sendable {
        /// The effect's id.
        public let id: EffectID
        /// The effect.
        public let effect: Program.Effect
        /// The reason for the failure, in one sentence.
        public let reason: String
        /// The number of failed attempts.
        public let failures: Int
    }

    /// The outcome of one run of a handler.
    public enum Outcome: Sendable, Hashable {
        /// The handler has not ended.
        case running
        /// The handler ended without a failure.
        case finished
        /// The handler failed for this reason.
        case failed(String)
        /// The handler was cancelled, and stopped.
        case cancelled
        /// The handler's process was killed, or exited before the handler ended.
        case lost
    }

    /// One run of a handler.
    public struct HandlerRecord: Sendable {
        /// The effect's id.
        public let id: EffectID
        /// The effect.
        public let effect: Program.Effect
        /// The attempt of the effect.
        public let attempt: Attempt
        /// The process: `bank 0#2` is the second process of worker 0 of the pool `bank`, `coordinator#1` the first
        /// coordinator.
        public let process: String
        /// The outcome of the run.
        public let outcome: Outcome
        /// The events that the handler sent, whether or not they arrived.
        public let events: [Program.Event]
        /// The time at which the handler started, as the virtual time since the fleet was created.
        public let began: Duration
    }
}

extension TestFleet.EffectRecord: Equatable where Program.Effect: Equatable {}
extension TestFleet.DeadLetterRecord: Equatable where Program.Effect: Equatable {}
extension TestFleet.HandlerRecord: Equatable where Program.Effect: Equatable, Program.Event: Equatable {}
