import MobiusWorker

/// A worker whose author forgot the handlers.
@main struct BareWorker: WorkerCommand {
    static let pool = "bare"
}
