import MobiusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Rows of text in columns; the last column is cut when lines would be wider than the screen.
package struct Table {
    private let heads: [String]
    private var rows: [[String]] = []

    /// Makes a table of these columns.
    package init(_ heads: String...) {
        self.heads = heads
    }

    /// Adds a row with one cell per column; control characters are replaced.
    package mutating func add(_ cells: String...) {
        precondition(cells.count == heads.count, "A row has as many cells as the table has columns.")
        rows.append(cells.map(TerminalText.line))
    }

    /// The lines, headings first.
    ///
    /// Every column is as wide as its widest cell. The last is cut to the remaining width, but to no less than 10:
    /// names in the columns before it stay complete, because people copy them.
    package func lines(width: Int) -> [String] {
        let all = [heads] + rows
        let widths = heads.indices.map { column in all.map { TerminalText.width($0[column]) }.max() ?? 0 }
        let last = heads.count - 1
        let room = max(10, width - widths[..<last].reduce(0) { $0 + $1 + 2 })
        return all.map { row in
            var line = ""
            for column in 0..<last {
                line +=
                    row[column] + String(repeating: " ", count: widths[column] - TerminalText.width(row[column]) + 2)
            }
            line += TerminalText.cut(row[last], to: room)
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// Prints the lines as wide as the terminal; whole ones where standard output is none.
    func print() {
        for line in lines(width: Self.screenWidth) { Swift.print(line) }
    }

    /// Whether standard output is a terminal.
    static var isOnTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The width of the terminal in columns; without bound when standard output is not a terminal, so that nothing is cut
    /// for the program that reads it.
    static var screenWidth: Int {
        guard isOnTerminal else { return .max }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
