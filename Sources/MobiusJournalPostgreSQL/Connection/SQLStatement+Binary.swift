import MobiusJournalTables

// Parameters as PostgreSQL takes them in binary.
extension SQLStatement.Value {
    /// The type's number in PostgreSQL: `bigint`, `bytea`, `text`, `bigint[]` or `bytea[]`.
    var type: UInt32 {
        switch self {
        case .number: 20
        case .bytes, .utf8: 17
        case .name: 25
        case .numbers: 1016
        case .texts: 1001
        }
    }

    /// The bytes of a value that is no number.
    var content: [UInt8] {
        switch self {
        case .number: []
        case .bytes(let bytes), .utf8(let bytes): bytes
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
