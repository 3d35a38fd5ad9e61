import MobiusCommand

/// Named values, one per line, as the `show` commands print them.
struct Lines {
    private var lines: [(name: String, value: String)] = []

    /// Adds a value; ignores `nil`.
    mutating func add(_ name: String, _ value: String?) {
        if let value { lines.append((name, TerminalText.line(value))) }
    }

    /// The lines, with aligned values.
    var text: [String] {
        let width = lines.map(\.name.count).max() ?? 0
        return lines.map { name, value in
            "\(name):\(String(repeating: " ", count: width - name.count + 1))\(value)"
        }
    }

    func print() {
        for line in text { Swift.print(line) }
    }
}
