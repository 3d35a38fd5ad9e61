import MobiusProcess
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Named texts, each shown as a line when it changes.
///
/// Any thread may use it.
public final class Screen: Sendable {
    private let descriptor: Int32
    private let texts = Mutex<[String: String]>([:])

    /// Shows lines on the descriptor (default: standard output).
    public init(descriptor: Int32 = 1) {
        self.descriptor = descriptor
    }

    /// Shows the text under its name, unless it is the one shown there last.
    public func show(_ text: String, in name: String) {
        texts.withLock { texts in
            guard texts.updateValue(text, forKey: name) != text else { return }
            write("\(name) \(text)\n")
        }
    }

    /// Shows a line.
    public func say(_ line: String) {
        texts.withLock { _ in write(line + "\n") }
    }

    /// Tells which keys there are, if somebody sits at a terminal.
    public func tellKeys(_ keys: String) {
        if isatty(descriptor) == 1 { say("\(keys), then the return key") }
    }

    /// Errors of the output are ignored.
    private func write(_ text: String) {
        var text = text
        _ = text.withUTF8 { StandardError.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}
