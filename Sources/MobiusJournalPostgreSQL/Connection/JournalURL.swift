import MobiusJournal

/// The URL of a journal in PostgreSQL: one of libpq's, and the `schema` of the journal's tables.
///
///     postgresql://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME&sslmode=verify-full
struct JournalURL {
    /// The schemes of such URLs.
    static let schemes = ["postgresql", "postgres"]
    /// The schema that the URL does not name.
    static let standardSchema = "mobius"

    /// The connection string for libpq; it holds the password.
    let connection: String
    /// The schema of the tables.
    let schema: String
    /// The URL without its password, for people.
    let shown: String
    private let secrets: [String]

    /// Reads a URL.
    ///
    /// - Throws: ``JournalError`` with code `foreign`, whose message contains no password.
    init(_ text: String) throws(JournalError) {
        guard let parts = JournalURLParts(text), Self.schemes.contains(String(parts.scheme)) else {
            throw Self.wrong("is not one of PostgreSQL", Self.redacted(text))
        }
        if let problem = parts.problem { throw Self.wrong(problem, Self.redacted(text)) }
        shown = parts.redacted
        let schema = parts.options.last { $0.key == "schema" }?.value.map { String($0) } ?? Self.standardSchema
        guard Self.isName(schema) else {
            throw Self.wrong("names a schema that is not lower-case letters, digits and _", shown)
        }
        self.schema = schema
        let options = parts.options.filter { $0.key != "schema" }.map(\.text)
        connection = parts.beforeOptions + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
        secrets = parts.secrets
    }

    /// A message of libpq without what is secret in the URL.
    func redact(_ message: String) -> String {
        secrets.reduce(message.replacing(connection, with: shown)) { $0.replacing($1, with: "***") }
    }

    /// A URL without its password.
    static func redacted(_ text: String) -> String { JournalURLParts(text)?.redacted ?? text }

    private static func isName(_ name: String) -> Bool {
        let letters = name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
        return letters && (1...63).contains(name.utf8.count) && !(48...57).contains(name.utf8.first ?? 48)
    }

    private static func wrong(_ how: String, _ shown: String) -> JournalError {
        JournalError(
            .foreign,
            "The journal's URL \(shown) \(how): write postgresql://USER@HOST:PORT/DATABASE, with %XX for special "
                + "characters.")
    }
}
