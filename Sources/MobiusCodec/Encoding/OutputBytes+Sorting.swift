// Objects whose equal values are equal bytes.
extension OutputBytes {
    private struct Member {
        /// The key as its type wrote it, without escapes.
        let key: [UInt8]
        let range: Range<Int>
    }

    /// Brings members that begin at `starts` and reach to the end into the order of their keys' UTF-8.
    ///
    /// Of members with equal keys the last one stays, as in a dictionary that is assigned to.
    mutating func sortMembers(at starts: ArraySlice<Int>) {
        let members = members(at: starts)
        if zip(members, members.dropFirst()).allSatisfy({ precedes($0, $1) }) { return }
        // The sort is stable.
        let sorted = members.sorted(by: precedes)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count - starts[starts.startIndex])
        for (index, member) in sorted.enumerated() {
            if index + 1 < sorted.count, member.key == sorted[index + 1].key { continue }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: content[member.range])
        }
        truncate(to: starts[starts.startIndex])
        bytes.withUnsafeBufferPointer { append($0) }
    }

    private func precedes(_ one: Member, _ other: Member) -> Bool {
        one.key.lexicographicallyPrecedes(other.key)
    }

    private func members(at starts: ArraySlice<Int>) -> [Member] {
        var members: [Member] = []
        members.reserveCapacity(starts.count)
        for (start, next) in zip(starts, starts.dropFirst() + [count + 1]) {
            members.append(Member(key: Array(key(writtenAt: start).utf8), range: start..<next - 1))
        }
        return members
    }

    /// The key that stands in quotation marks from `start` on.
    func key(writtenAt start: Int) -> String {
        var end = start + 1
        while content[end] != UInt8(ascii: "\"") { end += content[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return JSONText.escaped(UnsafeBufferPointer(rebasing: content[start + 1..<end])) ?? ""
    }
}
