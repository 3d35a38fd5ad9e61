/// A statement with its parameters, to be sent in a pipeline.
///
/// Its text is prepared once per connection, so a text must not contain values.
struct Statement {
    /// A parameter, sent in binary.
    enum Value {
        case number(Int64)
        case bytes([UInt8])
        /// A name in the database's own text.
        case name(String)
        /// An array of numbers.
        case numbers([Int64])
    }

    /// The text with `$1`, `$2` and so on.
    let sql: StaticString
    /// The parameters: `bigint`, `bytea`, `text` and `bigint[]`.
    let values: [Value]

    init(_ sql: StaticString, _ values: [Value] = []) {
        self.sql = sql
        self.values = values
    }
}

extension Statement.Value {
    /// 64 bits as PostgreSQL keeps them.
    static func bits(_ number: UInt64) -> Statement.Value { .number(Int64(bitPattern: number)) }

    /// Text as bytes of UTF-8: PostgreSQL's own text cannot contain NUL and depends on the database's encoding.
    static func text(_ text: String) -> Statement.Value { .bytes(Array(text.utf8)) }

    /// The type's number in PostgreSQL.
    var type: UInt32 {
        switch self {
        case .number: 20
        case .bytes: 17
        case .name: 25
        case .numbers: 1016
        }
    }

    /// The bytes of a value that is no number.
    var content: [UInt8] {
        switch self {
        case .number: []
        case .bytes(let bytes): bytes
        case .name(let name): Array(name.utf8)
        case .numbers(let numbers): Self.array(numbers)
        }
    }

    /// An array of one dimension, as PostgreSQL sends it: no NULLs, elements of type 20 from index 1 on.
    private static func array(_ numbers: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + 12 * numbers.count)
        func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        for number in [1, 0, 20, Int32(clamping: numbers.count), 1] as [Int32] { add(number) }
        for number in numbers {
            add(Int32(8))
            add(number)
        }
        return bytes
    }
}
