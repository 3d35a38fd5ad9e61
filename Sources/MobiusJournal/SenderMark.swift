/// The sender and the content of an event from outside, each as a hash, which tell a repetition from another event
/// under the same key.
public struct SenderMark: Hashable, Sendable {
    /// Of the sender's name in the allow-list; 0 for the coordinator's own process, and for everybody where no keys are.
    public let sender: UInt64
    /// Of the event.
    public let event: UInt64

    /// Describes the sender of an event.
    public init(sender: UInt64, event: UInt64) {
        self.sender = sender
        self.event = event
    }

    /// The hash of a sender's name; 0 for none.
    package static func hash(ofSender name: String?) -> UInt64 { name.map { FNV1a.hash(Array($0.utf8)) } ?? 0 }
}

// As stores on disk keep it beside a key: both hashes, and a checksum that also names the event, because a build that knows
// nothing of marks may write the key again.
extension SenderMark {
    private static let length = 24

    /// The bytes for the event that applied a key.
    package func bytes(loop: Int64, sequence: Int64) -> [UInt8] {
        let words = [sender, event, UInt64(bitPattern: sum(loop: loop, sequence: sequence))]
        return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    /// Reads the bytes; `nil` for none, and for those of another event.
    package init?(_ bytes: some Collection<UInt8>, loop: Int64, sequence: Int64) {
        guard bytes.count == Self.length else { return nil }
        func word(_ number: Int) -> UInt64 {
            bytes.dropFirst(number * 8).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(sender: word(0), event: word(1))
        guard UInt64(bitPattern: sum(loop: loop, sequence: sequence)) == word(2) else { return nil }
    }

    private func sum(loop: Int64, sequence: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(loop)
        sum.add(sequence)
        sum.add(sender)
        sum.add(event)
        return sum.value
    }
}
