/// Rows that a statement returned; pointers into them are valid as long as a copy of this is.
package struct Rows {
    package let table: any RowTable
    private let first: Int
    /// The number of rows.
    package let rows: Int

    /// All rows of a table.
    package init(_ table: any RowTable) {
        self.init(table, 0..<table.rows)
    }

    private init(_ table: any RowTable, _ rows: Range<Int>) {
        (self.table, first, self.rows) = (table, rows.lowerBound, rows.count)
    }

    /// Some of the rows.
    package subscript(rows: Range<Int>) -> Rows {
        Rows(table, first + rows.lowerBound..<first + rows.upperBound)
    }

    /// The rows of each place from 1 to `count`, which the last column names and by which they are ordered.
    package func split(into count: Int) -> [Rows] {
        let place = table.columns - 1
        var end = 0
        return (0..<count).map { index in
            let begin = end
            while end < rows, number(end, place) == index + 1 { end += 1 }
            return self[begin..<end]
        }
    }

    /// The number of rows that the statement changed.
    package var changes: Int { table.changes }

    /// Whether a value is NULL.
    package func isNull(_ row: Int, _ column: Int) -> Bool { table.isNull(first + row, column) }

    /// The bytes of a value that is no number.
    package func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer { table.bytes(first + row, column) }

    /// The same, copied.
    package func array(_ row: Int, _ column: Int) -> [UInt8] {
        withExtendedLifetime(table) { Array(bytes(row, column)) }
    }

    /// A number; 0 for NULL.
    package func number(_ row: Int, _ column: Int) -> Int64 { table.number(first + row, column) }

    /// Text; `nil` when it is not UTF-8.
    package func text(_ row: Int, _ column: Int) -> String? {
        withExtendedLifetime(table) { String(validating: bytes(row, column), as: UTF8.self) }
    }
}

/// The rows that a database returned for a statement.
package protocol RowTable: AnyObject {
    /// The number of rows.
    var rows: Int { get }
    /// The number of columns.
    var columns: Int { get }
    /// The number of rows that the statement changed.
    var changes: Int { get }
    /// Whether a value is NULL.
    func isNull(_ row: Int, _ column: Int) -> Bool
    /// A number; 0 for NULL.
    func number(_ row: Int, _ column: Int) -> Int64
    /// Bytes or text; valid as long as this object is.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer
}
