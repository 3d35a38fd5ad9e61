/// Rooms that decide take time, randomness and the outside world as arguments: they never ask for them by name.
enum Purity {
    /// The rooms that only compute.
    static let rooms: Set = ["MobiusDriver", "MobiusEngine", "MobiusWire", "SiteAudit", "Greeter", "Counter", "Orders"]

    private static let forbidden: [(pattern: String, instead: String)] = [
        ("ContinuousClock", "take the instant as an argument"),
        ("SuspendingClock", "take the instant as an argument"),
        ("Date(", "take the instant as an argument"),
        (".now", "take the instant as an argument"),
        ("SystemRandomNumberGenerator", "take random values as arguments"),
        (".random(", "take random values as arguments"),
        (".randomElement(", "take random values as arguments"),
        (".shuffled(", "take random values as arguments"),
        ("UUID(", "take random values as arguments"),
        ("FileHandle", "return an action and let the runtime do it"),
        ("FileManager", "return an action and let the runtime do it"),
        ("ProcessInfo", "take the value as an argument"),
        ("Task {", "return an action and let the runtime do it"),
        ("print(", "return an action and let the runtime do it"),
    ]

    /// Mentions of clocks, random numbers and input or output.
    static func problems(in file: SourceFile) -> [Problem] {
        guard rooms.contains(file.room) else { return [] }
        return forbidden.flatMap { pattern, instead in
            file.occurrences(of: pattern).map { index in
                file.problem(file.code[index].line, "\(file.room) is pure and must not mention \(pattern): \(instead)")
            }
        }
    }
}
