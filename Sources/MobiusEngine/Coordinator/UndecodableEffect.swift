/// An effect of which a worker sent an event that the program cannot read, until the rest of the message is applied.
struct UndecodableEffect: Sendable {
    /// The reason why the event cannot be read.
    let reason: String
    /// The newest of the effect's reports that is recorded.
    var recorded: EffectState.Mark?
}
