import MobiusCommand
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Named rows of text: written over in place on a terminal, a line for each change elsewhere.
///
/// Any thread may use it. On a terminal the cursor rests at the rows' beginning, so that a log line of the same terminal
/// takes their place, and the next change draws them below it.
public final class Screen: Sendable {
    private struct Row {
        let name: String
        var text: String
    }

    private struct State {
        var rows: [Row] = []
        var isClosed = false
    }

    /// Whether rows are written over in place.
    public let isTerminal: Bool
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Shows nothing yet, later on the descriptor (default: standard output).
    public init(descriptor: Int32 = 1) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Shows the text in the row of this name, which is made below the others at its first time.
    public func show(_ text: String, in name: String) {
        state.withLock { state in
            if let index = state.rows.firstIndex(where: { $0.name == name }) {
                guard state.rows[index].text != text else { return }
                state.rows[index].text = text
            } else {
                state.rows.append(Row(name: name, text: text))
            }
            if isTerminal { draw(state) } else { write("\(name) \(text)\n") }
        }
    }

    /// Writes a line that stays, above the rows.
    public func say(_ line: String) {
        state.withLock { state in
            write(isTerminal ? "\r\u{1B}[J\(line)\n" : line + "\n")
            if isTerminal { draw(state) }
        }
    }

    /// Draws the rows again, for a terminal that shows other things now.
    public func redraw() {
        state.withLock { state in
            if isTerminal { draw(state) }
        }
    }

    /// Leaves the rows standing and the cursor below them; what is shown later is only a line for each change.
    public func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            if isTerminal { draw(state) }
        }
    }

    private func draw(_ state: State) {
        guard !state.rows.isEmpty else { return }
        let width = columns
        // A row that wrapped would be two.
        let lines = state.rows.map { String("\($0.name)  \($0.text)".prefix(width)) }
        var text = "\r\u{1B}[J" + lines.joined(separator: "\n")
        if state.isClosed {
            text += "\n"
        } else {
            text += lines.count > 1 ? "\u{1B}[\(lines.count - 1)A\r" : "\r"
        }
        write(text)
    }

    private var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Output that nobody takes is no reason to end.
    private func write(_ text: String) {
        var text = text
        _ = text.withUTF8 { StandardError.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}
