/// Crawls synthetic sites with Site Audit's loop alone and prints events per second: `audit-scaling URLS [MODELS]`.
///
/// With more than one model, that many audits go on side by side and take turns, one event each. Crawls are repeated
/// until there are events enough, so that small and large sites are measured over equally many.
@main
enum AuditScaling {
    private static let leastEvents = 200_000

    static func main() {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard let urls = arguments.first, urls > 0, arguments.count == CommandLine.arguments.count - 1 else {
            fatalError("usage: audit-scaling URLS [MODELS]")
        }
        let models = arguments.count > 1 ? max(1, arguments[1]) : 1
        var events = 0
        var busy = Duration.zero
        while events < leastEvents {
            var crawls = (0..<models).map { _ in Crawl(SyntheticSite(pages: urls)) }
            while crawls.contains(where: { !$0.isFinished }) {
                for index in crawls.indices where !crawls[index].isFinished { crawls[index].step() }
            }
            events += crawls.map(\.events).reduce(0, +)
            busy += crawls.map(\.busy).reduce(.zero, +)
        }
        print(Double(events) / (busy / .seconds(1)))
    }
}
