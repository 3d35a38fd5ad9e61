import MobiusCore
package import MobiusEngine
import MobiusJournal
package import MobiusWire

// What the program is told of an event before the machine records it: the same as the record will say.
extension DurableHost {
    /// The number and time of the start of a loop that begins now.
    package func start(of loop: LoopID) -> EventPlace { shared.machine.start(of: loop, at: shared.moment) }

    /// The context of a loop's next event.
    func context(ofNext loop: LoopID, from source: SourceKey) -> LoopContext {
        guard let next = shared.machine.nextEvent(of: loop, at: shared.moment) else {
            preconditionFailure("Loop \(loop) must begin or be recovered before it applies events.")
        }
        return LoopContext(next, of: loop, from: source)
    }
}
