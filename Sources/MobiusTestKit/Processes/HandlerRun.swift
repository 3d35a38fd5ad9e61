import MobiusCore
import MobiusWire

/// One handler at work, step by step.
final class HandlerRun<Program: LoopProgram> {
    let id: AttemptID
    /// What is left to do, the next step last.
    private var steps: [HandlerStep<Program.Event>]
    /// Whether it ended, or was told to stop and does.
    var isOver = false
    /// Whether it was told to stop.
    var isCancelled = false
    /// Whether it will never answer by itself.
    var hangs = false
    /// How many of its events are not acknowledged.
    var unacknowledged = 0
    /// Whether it waits until fewer are, and how often it has done so.
    var waitsForRoom = false
    var waits = 0

    init(_ id: AttemptID, _ steps: [HandlerStep<Program.Event>]) {
        self.id = id
        self.steps = steps.reversed()
    }

    /// The next step; a handler that has run out of them ends without an event.
    func next() -> HandlerStep<Program.Event> { steps.popLast() ?? .finish(nil) }

    /// Puts a step back that could not be done yet.
    func putBack(_ step: HandlerStep<Program.Event>) { steps.append(step) }
}
