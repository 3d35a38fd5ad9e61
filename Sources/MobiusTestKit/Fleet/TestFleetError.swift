/// Why a ``TestFleet`` does not go on.
public struct TestFleetError: Error, CustomStringConvertible {
    /// What kind of thing it is; more codes may come, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// One of the promises was broken.
        public static let promiseBroken = Code("promiseBroken")
        /// A handler neither ended nor slept on the fleet's clock.
        public static let stuckHandler = Code("stuckHandler")
        /// What was waited for did not come.
        public static let notReached = Code("notReached")
        /// The program has a mistake, such as an effect without a route, with which no coordinator goes on.
        public static let program = Code("program")
        /// The test of one of many seeds failed.
        public static let seed = Code("seed")
    }

    /// What kind of thing it is.
    public let code: Code
    /// One sentence or two, with what to do.
    public let message: String
    /// The fleet's seed: the same one fails in the same way.
    public let seed: UInt64
    /// What happened before, a line each, the newest last.
    public let trace: [String]

    init(_ code: Code, _ message: String, seed: UInt64, trace: [String]) {
        self.code = code
        self.message = message
        self.seed = seed
        self.trace = trace
    }

    /// The message, the seed, and the end of the trace.
    public var description: String {
        let lines = trace.suffix(Self.shownLines)
        let dots = trace.count > lines.count ? ["  …"] : []
        return ([message, "Seed \(seed). What happened:"] + dots + lines.map { "  \($0)" }).joined(separator: "\n")
    }

    private static let shownLines = 60
}
