import MobiusJournal

/// An error that a visitor of records threw, wrapped while it passes through the database code, which would translate it:
/// the caller receives it unchanged.
struct VisitorError: Error {
    private let error: any Error

    /// Wraps an error that `visit` throws.
    static func marking(_ visit: () throws -> Void) throws(VisitorError) {
        do { try visit() } catch { throw VisitorError(error: error) }
    }

    /// The visitor's error if there is one, otherwise the journal's own.
    static func unmarked(_ error: JournalError) -> any Error {
        (error.underlying as? VisitorError)?.error ?? error
    }
}
