import Dispatch
import Synchronization

extension LoopCore {
    /// The model after the last event; waits while another thread changes it in place.
    func latestModel(at site: CallSite) -> Model {
        while true {
            var copy: Model?
            var waiter: DispatchSemaphore?
            lock.withLock { _ in
                guard shared.pointee.isModelTaken else { return copy = model.pointee }
                guard shared.pointee.runner != ThreadIdentity.current else { return }
                let semaphore = DispatchSemaphore(value: 0)
                shared.pointee.modelWaiters.append(semaphore)
                waiter = semaphore
            }
            if let copy { return copy }
            guard let waiter else {
                site.fail(
                    """
                    The loop's model was asked for inside an update that changes it in place. Use the model that the \
                    update was given.
                    """)
            }
            waiter.wait()
        }
    }

    /// Delivers the current model and all that follow, until the observer is removed or the loop ends.
    func add(_ observer: ModelObserver<Model>) {
        let thread = ThreadIdentity.current
        var deliver = false
        var mayRun = false
        lock.withLock { _ in
            guard !shared.pointee.isDisposed else { return }
            switch shared.pointee.runner {
            case ThreadIdentity.none:
                shared.pointee.runner = thread
                shared.pointee.observers.append(observer)
                (deliver, mayRun) = (true, true)
            case thread:
                shared.pointee.observers.append(observer)
                deliver = true
            default: shared.pointee.newObservers.append(observer)
            }
        }
        if deliver { observer.deliver(model.pointee, on: thread) }
        if mayRun { goOn(on: thread) }
    }

    /// Delivers nothing more to the observer.
    func remove(_ observer: ModelObserver<Model>) {
        observer.dispose()
        lock.withLock { _ in
            shared.pointee.observers.removeAll { $0 === observer }
            shared.pointee.newObservers.removeAll { $0 === observer }
        }
    }

    /// Delivers the current model to observers that were added while the loop ran.
    @usableFromInline
    func welcomeNewObservers(on thread: UInt) {
        var new: [ModelObserver<Model>] = []
        lock.withLock { _ in
            swap(&new, &shared.pointee.newObservers)
            shared.pointee.observers += new
        }
        publish(to: new, on: thread)
    }
}
