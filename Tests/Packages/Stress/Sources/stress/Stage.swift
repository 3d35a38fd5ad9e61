import Dispatch
import Foundation
import MobiusCore
import Synchronization

/// Where one kind of loop lives its lives: what its parts share, and what they check.
final class Stage: Sendable {
    typealias Event = StressLoop.Event
    typealias Model = StressLoop.Model
    typealias Effect = StressLoop.Effect

    private let life = Atomic(0)
    private let closed = Atomic(0)
    private let applied = Atomic(0)
    private let planned = Atomic(0)
    /// Signalled when a life has got all its events and answers.
    let settled = DispatchSemaphore(value: 0)
    /// Tasks that read models.
    let readers = DispatchGroup()

    /// What only the thread that runs the loop touches: without protection, so that ThreadSanitizer tells if two do.
    private final class Inside: @unchecked Sendable {
        var depth = 0
        var version = 0
    }

    private let inside = Inside()
    private let lock = NSLock()
    // With the lock held.
    nonisolated(unsafe) private var lateCallbacks: [EffectCallback<Event>] = []
    nonisolated(unsafe) private var readerTasks: [Task<Void, Never>] = []

    /// The life that runs or is about to.
    var presentLife: Int { life.load(ordering: .relaxed) }

    /// A new life is about to begin.
    func begin(_ new: Int) {
        life.store(new, ordering: .relaxed)
    }

    /// The life has ended: from now on nothing of it may be delivered.
    func end(_ ended: Int) {
        closed.store(ended, ordering: .relaxed)
    }

    /// What became of a life that was cut short.
    func noteCutShort(applied: Int, of planned: Int) {
        self.applied.add(applied, ordering: .relaxed)
        self.planned.add(planned, ordering: .relaxed)
    }

    /// How much of the lives that were cut short came to pass: neither all nor nothing, or they were cut at no good time.
    var shareOfCutLives: Double {
        Double(applied.load(ordering: .relaxed)) / Double(max(1, planned.load(ordering: .relaxed)))
    }

    /// Both forms of update, by turns.
    func update(inPlace: Bool) -> Update<Model, Event, Effect> {
        if inPlace {
            return Update(inPlace: { model, event in
                self.applying(event, to: &model)
            })
        }
        return Update { model, event in
            var new = model
            let change: Change<Effect> = self.applying(event, to: &new)
            return .next(new, effects: change.effects)
        }
    }

    private func applying(_ event: Event, to model: inout Model) -> Change<Effect> {
        expectOpen(model.life, "update ran")
        return alone {
            let effects = StressLoop.apply(event, to: &model)
            inside.version = model.version
            return .next(effects: effects)
        }
    }

    /// A handler that the loop calls, right after the update that asked for it.
    func handling(_ task: Effect.Task) {
        expectOpen(task.life, "an effect began")
        alone {
            Findings.expect(
                inside.version == task.version,
                "the effect of version \(task.version) began at version \(inside.version), life \(task.life)")
        }
    }

    /// Something that the loop calls: nothing else may run meanwhile.
    func alone<Result>(_ body: () -> Result) -> Result {
        inside.depth += 1
        Findings.expect(inside.depth == 1, "the loop was entered twice")
        defer { inside.depth -= 1 }
        return body()
    }

    /// Nothing happens in a life that has ended.
    func expectOpen(_ life: Int, _ what: String) {
        let closed = closed.load(ordering: .relaxed)
        Findings.expect(life > closed, "\(what) in life \(life), after it had ended")
    }

    func keep(_ reader: Task<Void, Never>) {
        lock.lock()
        readerTasks.append(reader)
        lock.unlock()
    }

    func takeReaderTasks() -> [Task<Void, Never>] {
        lock.lock()
        defer { lock.unlock() }
        let tasks = readerTasks
        readerTasks = []
        return tasks
    }

    // MARK: Late senders

    func keep(_ callback: EffectCallback<Event>) {
        lock.lock()
        lateCallbacks.append(callback)
        lock.unlock()
    }

    /// Sends through what handlers of earlier lives have kept: nobody may hear that.
    func sendLate() {
        lock.lock()
        let callbacks = lateCallbacks
        lateCallbacks = []
        lock.unlock()
        for callback in callbacks { callback.end(with: .bonus(life: presentLife)) }
    }
}
