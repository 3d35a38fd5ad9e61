import MobiusJournal

/// The URL of a journal in PostgreSQL: one of libpq's, and the `schema` of the journal's tables.
///
///     postgresql://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME&sslmode=verify-full
struct JournalURL {
    /// The schemes of such URLs.
    static let schemes = ["postgresql", "postgres"]
    /// The schema that the URL does not name.
    static let standardSchema = "mobius"

    /// What libpq is given; it holds the password.
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
        shown = Self.redacted(text)
        guard let end = text.firstRange(of: "://"), Self.schemes.contains(String(text[..<end.lowerBound])) else {
            throw Self.wrong("is not one of PostgreSQL", shown)
        }
        var (place, query) = Self.split(text[end.upperBound...], at: "?")
        let (authority, path) = Self.split(place, at: "/")
        guard !(path ?? "").contains("@") else {
            throw Self.wrong("has a / in its user or password: write %2F for it", "\(text[..<end.upperBound])…")
        }
        var schema = Self.standardSchema
        var options: [Substring] = []
        for option in (query ?? "").split(separator: "&") {
            if option.hasPrefix("schema=") { schema = String(option.dropFirst(7)) } else { options.append(option) }
        }
        query = options.isEmpty ? nil : Substring(options.joined(separator: "&"))
        guard Self.isName(schema) else {
            throw Self.wrong("names a schema that is not lower-case letters, digits and _", shown)
        }
        self.schema = schema
        place = place.isEmpty ? "" : place
        connection = text[..<end.upperBound] + place + (query.map { "?" + $0 } ?? "")
        secrets = Self.secrets(authority, options)
    }

    /// A message of libpq without what is secret in the URL.
    func redact(_ message: String) -> String {
        secrets.reduce(message.replacing(connection, with: shown)) { $0.replacing($1, with: "***") }
    }

    /// A URL without its password.
    static func redacted(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let (place, query) = split(text[scheme.upperBound...], at: "?")
        var shown = String(text[..<scheme.upperBound])
        if let at = place.lastIndex(of: "@") {
            let user = place[..<at]
            shown += split(user, at: ":").0 + (user.contains(":") ? ":***" : "") + place[at...]
        } else {
            shown += place
        }
        guard let query else { return shown }
        let options = query.split(separator: "&").map { option in
            option.contains("password=") ? split(option, at: "=").0 + "=***" : option
        }
        return shown + "?" + options.joined(separator: "&")
    }

    private static func secrets(_ authority: Substring, _ options: [Substring]) -> [String] {
        var secrets = options.filter { $0.contains("password=") }.compactMap { split($0, at: "=").1 }
        if let at = authority.lastIndex(of: "@"), let password = split(authority[..<at], at: ":").1 {
            secrets.append(password)
        }
        return secrets.filter { !$0.isEmpty }.map(String.init)
    }

    private static func isName(_ name: String) -> Bool {
        let letters = name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
        return letters && (1...63).contains(name.utf8.count) && !(48...57).contains(name.utf8.first ?? 48)
    }

    private static func split(_ text: Substring, at mark: Character) -> (Substring, Substring?) {
        guard let index = text.firstIndex(of: mark) else { return (text, nil) }
        return (text[..<index], text[text.index(after: index)...])
    }

    private static func wrong(_ how: String, _ shown: String) -> JournalError {
        JournalError(
            .foreign,
            "The journal's URL \(shown) \(how): write postgresql://USER@HOST:PORT/DATABASE, with %XX for special "
                + "characters.")
    }
}
