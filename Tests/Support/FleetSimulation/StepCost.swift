import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusTestKit
import MobiusWire

/// The cost of one step of a coordinator, compared with the step's subject.
///
/// Entries that an iteration over a whole table visits are counted, and those of pools whose workers are asked for owners: a step
/// that looks at the effects of all loops shows in a world with few of them.
struct StepCost {
    private let step: CoordinatorDriver.Step
    private let visits: Int
    private let enqueued: UInt64
    /// Whether it may visit whatever there is.
    private let isFree: Bool
    /// The most pools that one worker serves.
    private let pools: Int

    /// Begins to count, right before the step.
    init(of step: CoordinatorDriver.Step, in machine: borrowing CoordinatorMachine, pools: Int) {
        self.step = step
        self.pools = pools
        visits = machine.visits.value
        enqueued = machine.enqueued
        isFree =
            switch step {
            case .action(.stopped), .input(.wallClock), .input(.hold), .input(.endLoop): true
            case .input(.tick): machine.isAdopting
            default: false
            }
    }

    /// Returns the excess cost right after the step, in a sentence; `nil` when it cost no more than it may.
    ///
    /// - Parameter round: The most deadlines that one step may handle.
    func excess(
        _ actions: [CoordinatorAction], round: Int, in machine: borrowing CoordinatorMachine
    ) -> String? {
        if case .input(.tick) = step {
            let due = actions.count { $0.isOfDeadline }
            if due > round { return "a tick handles \(due) deadlines, and \(round) are a round" }
        }
        let visited = machine.visits.value - visits
        guard visited > 0, !isFree else { return nil }
        var bound = 0
        for loop in loops {
            guard let window = machine.window(of: loop) else {
                // Nobody knows where the effects of a loop are that had ended before this coordinator began.
                if machine.end(of: loop) != nil { return nil }
                continue
            }
            bound = bound.saturatingAdding(Int(clamping: window))
        }
        bound = bound.saturatingAdding(movements(actions, in: machine))
        return visited > bound ? "\(summary) visits \(visited) entries, and is about \(bound)" : nil
    }

    /// The loops whose pending effects it may look for.
    private var loops: Set<LoopID> {
        if case .input(.end(_, let loop, _, _)) = step { return [loop] }
        guard case .action(let action) = step else { return [] }
        switch action {
        case .takeWaiting(let loop): return [loop]
        case .apply(let application), .applyAnew(let application): return [application.loop]
        case .applyFailure(let id, _, _, _), .applyTimer(let id, _, _, _), .applyAnswer(let id, _, _),
            .selectCancelled(let id, _):
            return [id.loop]
        case .deliver(let id, _, let loop): return [id.loop, loop]
        case .append(_, let records): return Set(records.map(\.loop))
        default: return []
        }
    }

    /// Returns the cost of finding the owners of effects that it puts into queues, and of all that wait in pools that a
    /// worker enters or leaves.
    private func movements(_ actions: [CoordinatorAction], in machine: borrowing CoordinatorMachine) -> Int {
        var (workers, pools) = (machine.workerCount, 0)
        // A worker says that it leaves, perhaps once more.
        if case .input(.received) = step { pools += self.pools }
        for case .note(let note) in actions {
            switch note {
            // It may have been known, and have left its pools before.
            case .joined(_, let entered, _, _): pools += 2 * entered.count
            case .left, .lost: (workers, pools) = (workers + 1, pools + self.pools)
            default: break
            }
        }
        return workers * (Int(clamping: machine.enqueued - enqueued) + pools)
    }

    private var summary: String {
        switch step {
        case .input(let input): "the input \(String("\(input)".prefix(80)))"
        case .action(let action): "the action \(String("\(action)".prefix(80)))"
        }
    }
}

extension CoordinatorAction {
    /// Whether a deadline that was due leads to it.
    fileprivate var isOfDeadline: Bool {
        switch self {
        case .applyTimer, .note(.timedOut): true
        default: false
        }
    }
}
