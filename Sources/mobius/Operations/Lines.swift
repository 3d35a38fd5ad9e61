/// Named values, one in a line, as the `show` commands print them.
struct Lines {
    private var lines: [(name: String, value: String)] = []

    /// Adds a value; nothing for `nil`.
    mutating func add(_ name: String, _ value: String?) {
        if let value { lines.append((name, Printable.line(value))) }
    }

    /// Prints them, the values below each other.
    func print() {
        let width = lines.map(\.name.count).max() ?? 0
        for (name, value) in lines {
            Swift.print("\(name):\(String(repeating: " ", count: width - name.count + 1))\(value)")
        }
    }
}
