/// The names that a source file offers to importers.
enum PublicNames {
    /// Public types and functions that are no members, without those that begin with an underscore.
    static func atTopLevel(of source: String) -> [String] {
        source.split(separator: "\n").compactMap { line in
            let match = line.prefixMatch(
                of: /(?:public|open)\ (?:final\ )?(?:struct|class|enum|actor|protocol|typealias|func)\ (?<name>[A-Za-z]\w*)/)
            return match.map { String($0.output.name) }
        }
    }
}
