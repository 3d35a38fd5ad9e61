#if PostgreSQL
    import CLibPQ

    /// Rows that a statement returned, in binary; pointers into them are valid as long as a copy of this is.
    struct QueryResult {
        private let owner: Owner
        private let first: Int
        /// The number of rows.
        let rows: Int

        private final class Owner {
            let result: OpaquePointer
            init(_ result: OpaquePointer) { self.result = result }
            deinit { PQclear(result) }
        }

        /// Takes a result of libpq, and frees it at its end.
        init(_ result: OpaquePointer) {
            self.init(Owner(result), 0..<Int(PQntuples(result)))
        }

        private init(_ owner: Owner, _ rows: Range<Int>) {
            (self.owner, first, self.rows) = (owner, rows.lowerBound, rows.count)
        }

        private var result: OpaquePointer { owner.result }

        /// Some of the rows.
        subscript(rows: Range<Int>) -> QueryResult {
            QueryResult(owner, first + rows.lowerBound..<first + rows.upperBound)
        }

        /// The rows of each place from 1 to `count`, which the last column names and by which they are ordered.
        func split(into count: Int) -> [QueryResult] {
            let place = Int(PQnfields(result)) - 1
            var end = 0
            return (0..<count).map { index in
                let begin = end
                while end < rows, number(end, place) == index + 1 { end += 1 }
                return self[begin..<end]
            }
        }

        /// The number of rows that the statement changed.
        var changes: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

        /// The command that was done, such as `COMMIT`.
        var command: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

        /// Whether the command is one that writes, or a commit.
        var isWritten: Bool {
            ["COMMIT", "INSERT", "UPDATE", "DELETE"].contains { command.hasPrefix($0) }
        }

        var status: ExecStatusType { PQresultStatus(result) }

        /// The error that it is.
        var error: PostgreSQLError {
            func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
            // PG_DIAG_SEVERITY_NONLOCALIZED, PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY, macros of characters.
            let severity = field(Int32(UInt8(ascii: "V")))
            let state = field(Int32(UInt8(ascii: "C")))
            let message = field(Int32(UInt8(ascii: "M"))) ?? PQresultErrorMessage(result).map { String(cString: $0) }
            return PostgreSQLError(
                state: state, isFatal: state == nil || severity == "FATAL" || severity == "PANIC",
                message: PostgreSQLError.line(message ?? ""))
        }

        /// Whether a value is NULL.
        func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(first + row), Int32(column)) == 1 }

        /// The bytes of a value.
        func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: PQgetvalue(result, Int32(first + row), Int32(column)),
                count: Int(PQgetlength(result, Int32(first + row), Int32(column))))
        }

        /// The bytes of a value, copied.
        func array(_ row: Int, _ column: Int) -> [UInt8] { Array(bytes(row, column)) }

        /// A number of 1 to 8 bytes; 0 for NULL.
        func number(_ row: Int, _ column: Int) -> Int64 {
            let bytes = bytes(row, column)
            guard let first = bytes.first, bytes.count <= 8 else { return 0 }
            return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
        }

        /// Text; `nil` when it is not UTF-8.
        func text(_ row: Int, _ column: Int) -> String? { String(validating: bytes(row, column), as: UTF8.self) }
    }

    extension PostgreSQLError {
        /// A message in one line.
        static func line(_ message: String) -> String {
            message.split(whereSeparator: \.isNewline).map { String($0) }.joined(separator: " ")
        }
    }
#endif
