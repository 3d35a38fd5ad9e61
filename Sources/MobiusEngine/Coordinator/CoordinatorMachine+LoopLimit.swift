import MobiusJournal
package import MobiusWire

// How many loops there may be: clients name them, so without a limit a flood of names would fill memory and disk.
extension CoordinatorMachine {
    /// The loops of which something is kept: running, idle, held and ended ones.
    package var keptLoops: Int { directory.count + Int(clamping: idleLoops.loops) }

    /// Returns the reason why an event for a loop that was never there cannot begin it; `nil` when it may.
    ///
    /// A loop that is held, or has ended and begins again, adds nothing to what is kept. So recovery is never limited, and
    /// neither are the events of loops that exist.
    package func refusalToBegin(_ loop: LoopID) -> ClientRefusal? {
        guard keptLoops >= configuration.maximumLoops, !knows(loop: loop) else { return nil }
        let reason = """
            The coordinator has \(keptLoops) loops, and its limit is \(configuration.maximumLoops) (--max-loops): the loop \
            \(loop) cannot begin. Events of other loops are taken.
            """
        return ClientRefusal(.tooManyLoops, reason)
    }

    /// A loop did not begin, for ``refusalToBegin(_:)``; the next flush notes it.
    package mutating func noteRefused(_ loop: LoopID) { refusedLoops.append(loop) }
}
