/// Requests that failed temporarily, and are repeated.
struct Retries: Sendable, Equatable, PackedCodable {
    /// An origin with failures.
    struct Trouble: Sendable, Equatable {
        /// Failures since the last good answer.
        var strikes = 0
        /// Pauses of the whole origin since then.
        var rounds = 0
        /// The current or last pause of the whole origin.
        var pause = 0
    }

    /// Represents `robots.txt`, which is not an address of the table.
    static let robots: Int32 = -1

    /// How often each address has failed so.
    var failures: [Int32: Int] = [:]
    /// The addresses that wait for the end of a pause, by its token.
    var paused: [Int: Int32] = [:]
    /// The origins in trouble, by host.
    var hosts: [Int32: Trouble] = [:]

    init() {}

    var isEmpty: Bool { failures.isEmpty && paused.isEmpty && hosts.isEmpty }

    init(from reader: inout PackedReader) throws(PackedReader.Damaged) {
        for _ in 0..<(try Self.count(&reader)) { failures[try reader.number()] = try reader.number() }
        for _ in 0..<(try Self.count(&reader)) { paused[try reader.number()] = try reader.number() }
        for _ in 0..<(try Self.count(&reader)) {
            let host: Int32 = try reader.number()
            hosts[host] = Trouble(
                strikes: try reader.number(), rounds: try reader.number(), pause: try reader.number())
        }
    }

    private static func count(_ reader: inout PackedReader) throws(PackedReader.Damaged) -> Int {
        let count: Int = try reader.number()
        guard count >= 0 else { throw PackedReader.Damaged() }
        return count
    }

    func pack(into writer: inout PackedWriter) {
        // In the order of their keys, because equal models must give equal bytes.
        writer.put(failures.sorted { $0.key < $1.key }) {
            $1.put($0.key)
            $1.put($0.value)
        }
        writer.put(paused.sorted { $0.key < $1.key }) {
            $1.put($0.key)
            $1.put($0.value)
        }
        writer.put(hosts.sorted { $0.key < $1.key }) {
            $1.put($0.key)
            $1.put($0.value.strikes)
            $1.put($0.value.rounds)
            $1.put($0.value.pause)
        }
    }
}
