/// Turns growing byte offsets of a text into line numbers; a whole pass costs one walk over the text.
struct LineCounter {
    private let text: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var line = 1

    /// Counts in `text`, which must outlive the counter.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// The line, from 1, of the byte at `target`; a line ends with its line feed.
    ///
    /// Offsets never go back: a smaller one than before answers the line reached so far.
    mutating func line(at target: Int) -> Int {
        let end = max(offset, min(target, text.count))
        line += text[offset..<end].reduce(into: 0) { $0 &+= $1 == 0x0A ? 1 : 0 }
        offset = end
        return line
    }
}
