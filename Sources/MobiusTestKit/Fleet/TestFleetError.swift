/// The reason why a run of a ``TestFleet`` failed.
public struct TestFleetError: Error, CustomStringConvertible {
    /// The kind of error.
    ///
    /// More codes may be added, so match with a default case.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// A promise of the coordinator was broken.
        public static let promiseBroken = Code("promiseBroken")
        /// A handler neither ended nor slept on the fleet's clock within the real-time limit.
        public static let stuckHandler = Code("stuckHandler")
        /// The awaited condition was not reached within the virtual-time limit.
        public static let notReached = Code("notReached")
        /// The program has an error with which no coordinator can continue, such as an effect without a route.
        public static let program = Code("program")
        /// The test threw an error in ``TestFleet/check(seeds:of:run:)``.
        public static let seed = Code("seed")
    }

    /// The kind of error.
    public let code: Code
    /// A description of the failure, with a remedy if there is one.
    public let message: String
    /// The fleet's seed, which reproduces the failure.
    public let seed: UInt64
    /// The log of the run, the newest line last; see ``TestFleet/trace``.
    public let trace: [String]

    init(_ code: Code, _ message: String, seed: UInt64, trace: [String]) {
        self.code = code
        self.message = message
        self.seed = seed
        self.trace = trace
    }

    /// The message, the seed, and the last 60 lines of the trace.
    public var description: String {
        let lines = trace.suffix(Self.shownLines)
        let dots = trace.count > lines.count ? ["  …"] : []
        return ([message, "Seed \(seed). Trace:"] + dots + lines.map { "  \($0)" }).joined(separator: "\n")
    }

    private static let shownLines = 60
}
