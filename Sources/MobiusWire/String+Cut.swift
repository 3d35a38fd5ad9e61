extension String {
    /// The longest beginning of whole characters within `limit` bytes of UTF-8.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: self) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
