extension Task {
    /// The task as a disposable: disposing of it cancels the task, and does not wait for it.
    public var asDisposable: some Disposable {
        AnonymousDisposable { cancel() }
    }
}
