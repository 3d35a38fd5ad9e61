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
        /// An array of texts, as bytes of UTF-8.
        case texts([String])
    }

    /// The text with `$1`, `$2` and so on.
    let sql: StaticString
    /// The parameters: `bigint`, `bytea`, `text`, `bigint[]` and `bytea[]`.
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
        case .texts: 1001
        }
    }

    /// The bytes of a value that is no number.
    var content: [UInt8] {
        switch self {
        case .number: []
        case .bytes(let bytes): bytes
        case .name(let name): Array(name.utf8)
        case .numbers(let numbers):
            Self.array(of: 20, numbers.map { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } })
        case .texts(let texts): Self.array(of: 17, texts.map { Array($0.utf8) })
        }
    }

    /// An array of one dimension, as PostgreSQL sends it: no NULLs, elements of a type from index 1 on.
    private static func array(of type: Int32, _ elements: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
        for number in [1, 0, type, Int32(clamping: elements.count), 1] { add(number) }
        for element in elements {
            add(Int32(clamping: element.count))
            bytes += element
        }
        return bytes
    }
}
