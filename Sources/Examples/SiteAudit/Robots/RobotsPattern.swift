/// Path patterns of `robots.txt` (RFC 9309, 2.2.3).
enum RobotsPattern {
    /// Whether `pattern` matches the start of `path`: `*` stands for anything, a `$` at the end for the end of the path.
    static func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
        var pattern = pattern
        // A prefix pattern is one that ends in `*`.
        if pattern.last == UInt8(ascii: "$") { pattern.removeLast() } else { pattern.append(UInt8(ascii: "*")) }
        var at = 0
        var position = 0
        var star: Int?
        var retry = 0
        while position < path.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = at
                retry = position
                at += 1
            } else if at < pattern.count, pattern[at] == path[position] {
                at += 1
                position += 1
            } else if let last = star {
                // Let the last star take one byte more: never more than path × pattern steps.
                retry += 1
                position = retry
                at = last + 1
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
