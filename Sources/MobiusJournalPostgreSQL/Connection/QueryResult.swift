#if PostgreSQL
    import CLibPQ
    import MobiusJournalTables

    /// A result of libpq, in binary.
    final class QueryResult: RowTable {
        private let result: OpaquePointer

        /// Takes a result, and frees it at its end.
        init(_ result: OpaquePointer) { self.result = result }

        deinit { PQclear(result) }

        var rows: Int { Int(PQntuples(result)) }

        var columns: Int { Int(PQnfields(result)) }

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

        func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

        func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: PQgetvalue(result, Int32(row), Int32(column)),
                count: Int(PQgetlength(result, Int32(row), Int32(column))))
        }

        /// A number of 1 to 8 bytes.
        func number(_ row: Int, _ column: Int) -> Int64 {
            let bytes = bytes(row, column)
            guard let first = bytes.first, bytes.count <= 8 else { return 0 }
            return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
        }
    }

    extension Rows {
        /// The command that was done, such as `COMMIT`.
        var command: String { (table as? QueryResult)?.command ?? "" }
    }

    extension PostgreSQLError {
        /// A message in one line.
        static func line(_ message: String) -> String {
            message.split(whereSeparator: \.isNewline).map { String($0) }.joined(separator: " ")
        }
    }
#endif
