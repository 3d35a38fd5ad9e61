import MobiusJournal

/// What a visitor of records threw, on its way out through a database: it goes back to its caller as it is, even when it is
/// an error of GRDB's.
struct VisitorError: Error {
    private let error: any Error

    /// Marks what `visit` throws.
    static func marking(_ visit: () throws -> Void) throws(VisitorError) {
        do { try visit() } catch { throw VisitorError(error: error) }
    }

    /// What the visitor threw, or the journal's own error.
    static func unmarked(_ error: JournalError) -> any Error {
        (error.underlying as? VisitorError)?.error ?? error
    }
}
