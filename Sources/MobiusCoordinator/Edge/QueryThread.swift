import Dispatch
import MobiusDriver
import MobiusJournal

/// Reads a journal for clients on a thread of its own, so that neither the socket thread nor a commit waits for it.
final class QueryThread: JournalQueries, Sendable {
    private let thread: BackgroundThread
    private let open: @Sendable () throws(JournalError) -> any JournalReading
    private let isKept: Bool
    private let waits: Bool
    // Used on the thread only.
    nonisolated(unsafe) private var journal: (any JournalReading)?

    /// Starts the thread; it ends after ``close()``.
    ///
    /// - Parameters:
    ///   - isKept: Whether what is opened for one question serves the next ones, too.
    ///   - waits: Whether ``close()`` waits until what was opened is closed: a database may not answer for long, and a replay takes long.
    ///   - open: Opens the journal for reading; called on the thread.
    init(
        name: String, isKept: Bool, waits: Bool,
        open: @escaping @Sendable () throws(JournalError) -> any JournalReading
    ) {
        thread = BackgroundThread(name: name)
        self.isKept = isKept
        self.waits = waits
        self.open = open
    }

    func close() {
        let closed = DispatchSemaphore(value: 0)
        let isLast = thread.close { [self] in
            journal = nil
            closed.signal()
        }
        if isLast, waits { closed.wait() }
    }

    func read(
        _ body: @escaping @Sendable (any JournalReading) throws(JournalError) -> Void,
        failed: @escaping @Sendable (JournalError) -> Void
    ) {
        thread.run { [self] in
            do throws(JournalError) { try answer(body) } catch { failed(error) }
        }
    }

    private func answer(_ body: (any JournalReading) throws(JournalError) -> Void) throws(JournalError) {
        if let kept = journal {
            journal = nil
            do throws(JournalError) {
                try body(kept)
                journal = kept
                return
            } catch {}  // a connection that was at rest for long may be gone: a new one shows whether it was that
        }
        let new = try open()
        try body(new)
        if isKept { journal = new }
    }
}
