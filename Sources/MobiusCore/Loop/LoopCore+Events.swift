import Dispatch
public import Synchronization

extension LoopCore {
    /// Runs the loop with `event`, or queues it for the thread that runs the loop; ignores it after the end.
    @inlinable
    func dispatch(_ event: Event) {
        let thread = ThreadIdentity.current
        var mayRun = false
        lock.withLock { _ in
            guard !shared.pointee.isDisposed else { return }
            guard shared.pointee.runner == ThreadIdentity.none else { return shared.pointee.events.append(event) }
            shared.pointee.runner = thread
            shared.pointee.isModelTaken = isInPlace
            mayRun = true
        }
        if mayRun { run(event, on: thread) }
    }

    /// Runs until no event is left; for a thread that already runs the loop.
    @inlinable
    func goOn(on thread: UInt) {
        if let event = nextEvent(on: thread) { run(event, on: thread) }
    }

    @inlinable
    func run(_ event: Event, on thread: UInt) {
        var next: Event? = event
        while let event = next { next = handle(event, on: thread) }
    }

    /// Handles one event and all that follows from it, except for other events.
    ///
    /// - Returns: the next event; `nil` when the calling thread no longer runs the loop.
    @inlinable
    func handle(_ event: Event, on thread: UInt) -> Event? {
        if logger != nil { return handleLogged(event, on: thread) }
        switch update.form {
        case .pure(let update):
            let next = update(model.pointee, event)
            return settle(next.model, next.effects, on: thread)
        case .inPlace(let update):
            let change = update(&model.pointee, event)
            return settle(change, on: thread)
        }
    }

    @usableFromInline
    func handleLogged(_ event: Event, on thread: UInt) -> Event? {
        let before = model.pointee
        logger?.willUpdate(model: before, event: event)
        let next = update.update(model: before, event: event)
        logger?.didUpdate(model: before, event: event, next: next)
        return settle(next.model, next.effects, on: thread)
    }

    /// Stores `new`, if there is one, publishes it and runs the effects.
    @inlinable
    func settle(_ new: Model?, _ effects: [Effect], on thread: UInt) -> Event? {
        var new = new
        var observers: [ModelObserver<Model>] = []
        var next: Event?
        var goesOn = true
        lock.withLock { _ in
            if new != nil {
                // `new` takes the old model out of the lock: releasing it may run user code.
                swap(&model.pointee, &new!)
                observers = shared.pointee.observers
            }
            releaseModel()
            goesOn = observers.isEmpty && effects.isEmpty && takeNext(&next)
        }
        return goesOn ? next : follow(observers, effects, on: thread)
    }

    /// Publishes a change in place and runs the effects.
    @inlinable
    func settle(_ change: Change<Effect>, on thread: UInt) -> Event? {
        var observers: [ModelObserver<Model>] = []
        var next: Event?
        var goesOn = true
        lock.withLock { _ in
            if change.changed { observers = shared.pointee.observers }
            releaseModel()
            goesOn = observers.isEmpty && change.effects.isEmpty && takeNext(&next)
        }
        return goesOn ? next : follow(observers, change.effects, on: thread)
    }

    /// Publishes the model, then runs the effects.
    @inlinable
    func follow(_ observers: [ModelObserver<Model>], _ effects: [Effect], on thread: UInt) -> Event? {
        if !observers.isEmpty { publish(to: observers, on: thread) }
        for effect in effects {
            guard !isDisposed.load(ordering: .acquiring) else { break }
            effectConnection?.accept(effect)
        }
        return nextEvent(on: thread)
    }

    @inlinable
    func publish(to observers: [ModelObserver<Model>], on thread: UInt) {
        // A copy, which is released before the next update, so that an update in place finds the model unshared again.
        let published = model.pointee
        for observer in observers {
            // Another thread's dispose() may not have reached this observer yet, while this thread's has returned.
            guard !isDisposed.load(ordering: .acquiring) else { return }
            observer.deliver(published, on: thread)
        }
    }

    /// Takes the next event; without one the calling thread no longer runs the loop.
    @inlinable
    func nextEvent(on thread: UInt) -> Event? {
        var next: Event?
        while true {
            var isDone = false
            lock.withLock { _ in isDone = takeNext(&next) }
            if isDone { return next }
            welcomeNewObservers(on: thread)
        }
    }

    /// With the lock held: takes the next event, or ends the run.
    ///
    /// - Returns: `false` if new observers have to be given the model first.
    @inlinable
    func takeNext(_ next: inout Event?) -> Bool {
        guard shared.pointee.newObservers.isEmpty else { return false }
        next = shared.pointee.events.popFirst()
        if next == nil {
            shared.pointee.runner = ThreadIdentity.none
            if !shared.pointee.endWaiters.isEmpty { wakeEndWaiters() }
        } else {
            shared.pointee.isModelTaken = isInPlace
        }
        return true
    }

    /// With the lock held: lets others read the model again.
    @inlinable
    func releaseModel() {
        guard shared.pointee.isModelTaken else { return }
        shared.pointee.isModelTaken = false
        if !shared.pointee.modelWaiters.isEmpty { wakeModelWaiters() }
    }

    @usableFromInline
    func wakeEndWaiters() {
        for waiter in shared.pointee.endWaiters { waiter.signal() }
        shared.pointee.endWaiters = []
    }

    @usableFromInline
    func wakeModelWaiters() {
        for waiter in shared.pointee.modelWaiters { waiter.signal() }
        shared.pointee.modelWaiters = []
    }
}
