/// Suggests the name that a user probably meant.
package enum NearestName {
    /// The known name that is nearest to a mistyped one; nil when none is near, or two are equally near.
    ///
    /// A name is near if it differs in at most two slips, or in a third of its length if that is less. A slip is an
    /// additional, missing or different letter, or two neighbours that changed places (Damerau–Levenshtein distance of
    /// neighbours). Case is ignored.
    package static func of(_ name: String, in known: [String]) -> String? {
        let limit = min(2, max(1, name.count / 3))
        let distances = known.map { (name: $0, distance: slips(from: name.lowercased(), to: $0.lowercased())) }
        guard let least = distances.map(\.distance).min(), least <= limit else { return nil }
        let nearest = distances.filter { $0.distance == least }
        return nearest.count == 1 ? nearest[0].name : nil
    }

    private static func slips(from first: String, to second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var before: [Int] = []
        var last = Array(0...second.count)
        for row in first.indices {
            var line = [row + 1]
            for column in second.indices {
                let same = first[row] == second[column]
                var best = min(last[column + 1] + 1, line[column] + 1, last[column] + (same ? 0 : 1))
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    best = min(best, before[column - 1] + 1)
                }
                line.append(best)
            }
            (before, last) = (last, line)
        }
        return last[second.count]
    }
}
