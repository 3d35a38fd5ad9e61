/// Named values, one per line, as the `show` commands print them.
package struct Lines {
    private var lines: [(name: String, value: String)] = []

    /// No values.
    package init() {}

    /// Adds a value; ignores `nil`.
    package mutating func add(_ name: String, _ value: String?) {
        if let value { lines.append((name, TerminalText.line(value))) }
    }

    /// The lines, with aligned values.
    package var text: [String] {
        let width = lines.map(\.name.count).max() ?? 0
        return lines.map { name, value in
            "\(name):\(String(repeating: " ", count: width - name.count + 1))\(value)"
        }
    }

    /// Prints the lines.
    package func print() {
        for line in text { Swift.print(line) }
    }
}
