/// How far a report has got on its way to its writer.
struct ReportCursor: Codable, Sendable, Equatable {
    /// Names the report among all.
    var report: String
    /// The first link of each part so far, broken ones and then those that redirect being one row of links.
    var starts: [Int] = []
    /// The first link that is in no part yet.
    var next = 0
    /// The parts under way.
    var open: [Int] = []
    /// Parts that were lost, the first of them last.
    var again: [Int] = []
    /// How often it was asked for to be put together.
    var assemblies = 0
}
