extension String {
    /// The longest beginning of whole characters within `limit` bytes of UTF-8.
    package func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // From the beginning, each character once: to ask of a place whether a character begins there costs as much as the
        // character is long, and a hostile sender can make it long.
        var (end, bytes) = (startIndex, 0)
        while true {
            let next = index(after: end)
            bytes += utf8.distance(from: end, to: next)
            guard bytes <= limit else { return String(self[..<end]) }
            end = next
        }
    }
}
