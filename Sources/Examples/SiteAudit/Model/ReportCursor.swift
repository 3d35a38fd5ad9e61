/// The progress of a report's transmission to its writer.
struct ReportCursor: Codable, Sendable, Equatable {
    /// Names the report among all.
    var report: String
    /// The first link of each part so far, in the sequence of broken links followed by redirecting ones.
    var starts: [Int] = []
    /// The first link that is in no part yet.
    var next = 0
    /// The parts in transit.
    var open: [Int] = []
    /// Parts that were lost, the first of them last.
    var again: [Int] = []
    /// The number of attempts to assemble it.
    var assemblies = 0
}
