import MobiusCore
import MobiusTestKit
import MobiusWire

/// One run of a scripted handler.
final class HandlerRun<Program: LoopProgram> {
    let id: AttemptID
    /// The remaining steps in reverse order.
    private var steps: [HandlerStep<Program.Event>]
    /// Whether the handler has ended, or was cancelled and stops.
    var isOver = false
    var isCancelled = false
    /// Whether the handler never ends unless it is cancelled.
    var hangs = false
    /// The number of unacknowledged events.
    var unacknowledged = 0
    /// Whether the handler waits for acknowledgements before its next event.
    var waitsForRoom = false
    /// The number of times that the handler has waited for acknowledgements.
    var waits = 0
    /// Whether an event was dropped after the cancellation: then it sends no later one.
    var hasGap = false

    init(_ id: AttemptID, _ steps: [HandlerStep<Program.Event>]) {
        self.id = id
        self.steps = steps.reversed()
    }

    /// Removes and returns the next step; after the last one, the handler ends without an event.
    func next() -> HandlerStep<Program.Event> { steps.popLast() ?? .finish(nil) }

    /// Puts back a step that could not be performed yet.
    func putBack(_ step: HandlerStep<Program.Event>) { steps.append(step) }
}
