#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Rows of text in columns that fit the screen.
///
/// When lines would be wider, the last column is cut first, then names are shortened in the middle, and ids last. Numbers and
/// times stay whole, and so do the numbers in ids.
package struct Table {
    /// A column, by its heading; a literal makes one whose cells stay whole unless it is the last.
    package struct Column: ExpressibleByStringLiteral {
        /// The way in which cells are shortened.
        enum Kind {
            /// Numbers, times, words; free text in the last column, which is cut at its end.
            case text
            /// Names, shortened in the middle.
            case name
            /// `LOOP/SEQUENCE/INDEX`, of which only the loop's name is shortened.
            case effect
        }

        let head: String
        let kind: Kind

        /// A column of this heading.
        package init(stringLiteral head: String) {
            (self.head, kind) = (head, .text)
        }

        private init(_ head: String, _ kind: Kind) {
            (self.head, self.kind) = (head, kind)
        }

        /// A column of names.
        package static func name(_ head: String) -> Column { Column(head, .name) }

        /// A column of effects' ids.
        package static func effect(_ head: String) -> Column { Column(head, .effect) }
    }

    /// Names and free text become no narrower than this.
    private static let narrowest = (name: 8, text: 10)

    private let columns: [Column]
    private var rows: [[String]] = []

    /// Makes a table of these columns.
    package init(_ columns: Column...) {
        self.init(columns)
    }

    /// Makes a table of these columns.
    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with one cell per column; control characters are replaced.
    package mutating func add(_ cells: String...) { add(cells) }

    /// Adds a row with one cell per column; control characters are replaced.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "A row has as many cells as the table has columns.")
        rows.append(cells.map(TerminalText.line))
    }

    /// The lines, headings first.
    package func lines(width: Int) -> [String] {
        let widths = widths(within: width)
        return ([columns.map(\.head)] + rows).map { row in
            var line = ""
            for (place, column) in columns.enumerated() {
                let cell = Self.fit(row[place], column.kind, to: widths[place])
                let isLast = place == columns.count - 1
                line += cell
                if !isLast {
                    line += String(repeating: " ", count: max(0, widths[place] - TerminalText.width(cell)) + 2)
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The widths of the columns.
    private func widths(within width: Int) -> [Int] {
        var widths = columns.indices.map { place in
            rows.reduce(TerminalText.width(columns[place].head)) { max($0, TerminalText.width($1[place])) }
        }
        let available = width == .max ? Int.max : max(0, width - 2 * (columns.count - 1))
        var over: Int { available == .max ? 0 : max(0, widths.reduce(0, +) - available) }
        let last = columns.count - 1
        if columns[last].kind == .text {
            widths[last] = min(widths[last], max(Self.narrowest.text, widths[last] - over))
        }
        for kind in [Column.Kind.name, .effect] {
            // The widest first, until all of the kind are as wide as the next.
            let places = columns.indices.filter { columns[$0].kind == kind }
            while over > 0, let widest = places.max(by: { widths[$0] < widths[$1] }) {
                let next = places.map { widths[$0] }.filter { $0 < widths[widest] }.max() ?? 0
                let least = max(Self.narrowest.name, TerminalText.width(columns[widest].head), next)
                let narrower = max(least, widths[widest] - over)
                guard narrower < widths[widest] else { break }
                widths[widest] = narrower
            }
        }
        return widths
    }

    private static func fit(_ cell: String, _ kind: Column.Kind, to width: Int) -> String {
        switch kind {
        case .text: TerminalText.cut(cell, to: width)
        case .name: TerminalText.shortened(cell, to: width)
        case .effect: effect(cell, to: width)
        }
    }

    /// An effect's id, of which the loop's name is shortened; the numbers stay whole.
    package static func effect(_ id: String, to width: Int) -> String {
        guard TerminalText.width(id) > width else { return id }
        let parts = id.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return TerminalText.shortened(id, to: width) }
        let numbers = "/" + parts.suffix(2).joined(separator: "/")
        let name = parts.dropLast(2).joined(separator: "/")
        return TerminalText.shortened(name, to: max(1, width - numbers.count)) + numbers
    }

    /// Prints the lines, as wide as the options say, and then on standard error whether something is shortened.
    package func print(_ options: WidthOptions) {
        let lines = lines(width: options.width)
        for line in lines { Swift.print(line) }
        let widths = widths(within: options.width)
        let isShortened = columns.indices.contains { place in
            columns[place].kind != .text && rows.contains { TerminalText.width($0[place]) > widths[place] }
        }
        if isShortened { StandardError.write("… in a name stands for what does not fit: --wide shows it.\n") }
    }

    /// Prints the lines as wide as the terminal; whole ones where standard output is none.
    package func print() {
        for line in lines(width: Self.screenWidth) { Swift.print(line) }
    }

    /// Whether standard output is a terminal.
    package static var isOnTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The width in columns that COLUMNS says, or that of the terminal; without bound when standard output is not a terminal,
    /// so that nothing is cut for the program that reads it.
    package static var screenWidth: Int {
        if let columns = getenv("COLUMNS").flatMap({ Int(String(cString: $0)) }), columns > 0 { return columns }
        guard isOnTerminal else { return .max }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
