/// An error that PostgreSQL or its library reports.
struct PostgreSQLError: Error, CustomStringConvertible {
    /// The code of the SQL standard or of PostgreSQL, of five characters; `nil` when the connection was lost.
    let state: String?
    /// Whether the server ended the connection with this error.
    let isFatal: Bool
    /// The primary message: details may contain data of rows.
    let message: String

    /// The state that the journal's fence raises.
    static let fenced = "MF001"
    /// The state of a commit that the server has warned about.
    static let unconfirmed = "MF003"

    /// The connection is gone, and with it the answers to what was sent.
    static func lost(_ message: String) -> PostgreSQLError {
        PostgreSQLError(state: nil, isFatal: true, message: message.isEmpty ? "the connection was lost" : message)
    }

    /// The message and its code.
    var description: String { "\(message)\(state.map { " (SQLSTATE \($0))" } ?? "")" }
}

/// An error of a pipeline, and which of its statements it answers.
struct PipelineError: Error, CustomStringConvertible {
    /// The index of the statement whose answer it is; those before it were done.
    let statement: Int
    let error: PostgreSQLError

    /// The error's text.
    var description: String { error.description }
}
