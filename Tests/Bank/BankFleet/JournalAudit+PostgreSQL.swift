public import FleetTestSupport
import Foundation

extension JournalAudit {
    /// Reads a journal in PostgreSQL with `psql`, with no code of the journal's.
    public init(_ server: PostgreSQLServer, _ url: String) async throws {
        let text = try await server.sql(
            """
            SELECT shard::bigint << 32 | loop, sequence, part, encode(content, 'hex') FROM runs
            ORDER BY shard, loop, sequence, part
            """, at: url)
        let rows = text.split(separator: "\n").map { line in
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            return (
                Int(columns[0]) ?? -1, Int(columns[1]) ?? -1, Int(columns[2]) ?? -1, Data(Self.bytes(columns[3]))
            )
        }
        let known = try await server.sql("SELECT convert_from(key, 'UTF8') FROM outside_keys", at: url)
        let epochs = try await server.sql("SELECT count(*) FROM epochs", at: url)
        try self.init(
            rows: rows, keys: known.split(separator: "\n").map(String.init), epochs: Int(epochs) ?? 0)
    }

    private static func bytes(_ hex: Substring) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map { index in
            UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
