/// The statements of one transaction, gathered before any of them runs.
package struct Commit {
    /// The statements that run, in this order.
    package private(set) var statements: [SQLStatement] = []
    /// The shard that is written.
    package let shard: Int64
    /// The bytes of records and models that it adds, less those that it is known to delete.
    package var added: Int64 = 0
    // The statements that delete such bytes.
    private var freeing: [Int] = []

    /// Begins a transaction.
    package init(shard: Int64) {
        self.shard = shard
    }

    /// Adds a statement.
    package mutating func add(_ sql: StaticString, _ values: [SQLStatement.Value]) {
        statements.append(SQLStatement(sql, values))
    }

    /// Adds a statement that returns a row for each row of records or model that it deletes, with the number of its bytes:
    /// how many these are is known when it has run.
    package mutating func addFreeing(_ sql: StaticString, _ values: [SQLStatement.Value]) {
        freeing.append(next)
        add(sql, values)
    }

    /// Returns the number of bytes of records and models that the journal has more than before.
    package func growth(_ results: [Rows]) -> Int64 {
        freeing.reduce(added) { growth, index in
            (0..<results[index].rows).reduce(growth) { $0 - results[index].number($1, 0) }
        }
    }

    /// The index that the next statement gets.
    package var next: Int { statements.count }
}
