import Dispatch
import MobiusCommand
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Named rows of text: overwritten in place on a terminal, otherwise a line for each change.
///
/// Any thread may use it. On a terminal the cursor rests at the rows' beginning, so that a log line of the same terminal
/// takes their place; within a second they are drawn again below it.
public final class Screen: Sendable {
    private struct Row {
        let name: String
        var text: String
    }

    private struct State {
        var rows: [Row] = []
        var isClosed = false
        var timer: (any DispatchSourceTimer)?
    }

    /// Whether rows are overwritten in place.
    public let isTerminal: Bool
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Makes an empty screen on the descriptor (default: standard output).
    public init(descriptor: Int32 = 1) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    deinit {
        state.withLock { $0.timer?.cancel() }
    }

    /// Shows the text in the row of this name; a new row is added below the others.
    public func show(_ text: String, in name: String) {
        state.withLock { state in
            if let index = state.rows.firstIndex(where: { $0.name == name }) {
                guard state.rows[index].text != text else { return }
                state.rows[index].text = text
            } else {
                state.rows.append(Row(name: name, text: text))
            }
            guard isTerminal else { return write("\(name) \(text)\n") }
            draw(state)
            if state.timer == nil, !state.isClosed { state.timer = makeTimer() }
        }
    }

    /// Writes a line that stays, above the rows.
    public func say(_ line: String) {
        state.withLock { state in
            write(isTerminal ? "\r\u{1B}[J\(line)\n" : line + "\n")
            if isTerminal, !state.isClosed { draw(state) }
        }
    }

    /// Draws the rows again, if the terminal shows other text; not after ``close()``.
    public func redraw() {
        state.withLock { state in
            if isTerminal, !state.isClosed { draw(state) }
        }
    }

    /// Leaves the rows on the screen and the cursor below them; later changes are written as lines.
    public func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            state.timer?.cancel()
            state.timer = nil
            if isTerminal { draw(state) }
        }
    }

    /// Other processes may write on the terminal, too, without notice.
    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in self?.redraw() }
        timer.activate()
        return timer
    }

    private func draw(_ state: State) {
        // In the background the screen belongs to the shell.
        guard !state.rows.isEmpty, state.isClosed || TerminalOwner.isUs(descriptor) else { return }
        let width = columns
        // A wrapped row would take two lines.
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

    /// Errors of the output are ignored.
    private func write(_ text: String) {
        var text = text
        _ = text.withUTF8 { StandardError.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}
