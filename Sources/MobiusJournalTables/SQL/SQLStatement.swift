/// A statement of SQL with its parameters.
///
/// Its text is compiled once per connection, so a text must not contain values. It names them `$1`, `$2` and so on; both
/// databases know all that it says.
package struct SQLStatement {
    /// A parameter.
    package enum Value {
        case number(Int64)
        case bytes([UInt8])
        /// Text as UTF-8, which may contain NUL: in PostgreSQL these are bytes.
        case utf8([UInt8])
        /// A name in the database's own text.
        case name(String)
        /// An array of numbers, which only PostgreSQL has.
        case numbers([Int64])
        /// An array of texts as UTF-8, which only PostgreSQL has.
        case texts([String])
    }

    /// The text.
    package let sql: StaticString
    /// The parameters from `$1` on.
    package let values: [Value]

    /// Makes a statement.
    package init(_ sql: StaticString, _ values: [Value] = []) {
        self.sql = sql
        self.values = values
    }
}

extension SQLStatement.Value {
    /// 64 bits as databases keep them, whose numbers are signed.
    package static func bits(_ number: UInt64) -> SQLStatement.Value { .number(Int64(bitPattern: number)) }

    /// Text: PostgreSQL's own cannot contain NUL and depends on the database's encoding.
    package static func text(_ text: String) -> SQLStatement.Value { .utf8(Array(text.utf8)) }
}
