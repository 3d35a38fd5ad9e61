extension Audit.Model {
    /// Begins the next level, or the next part of the current one, once all pages of the last one have answered.
    mutating func advance() {
        guard isLimited else { return }
        while frontier.openPages == 0 {
            if frontier.remaining.isEmpty {
                if frontier.candidates.isEmpty { return }
                beginLevel()
            }
            let chosen = min(isDeepEnough ? 0 : budget, frontier.remaining.count)
            for _ in 0..<chosen {
                let number = frontier.remaining.removeLast()
                guard addresses[number].state == .candidate else { continue }
                takeTurn(number, isCrawled: true)
            }
            if budget <= 0 || isDeepEnough { askWithoutCrawling() }
        }
    }

    private var budget: Int { max(0, (request?.maxPages ?? .max) - counts.pages) }

    private var isDeepEnough: Bool { frontier.level > request?.depth ?? .max }

    private mutating func beginLevel() {
        frontier.level += 1
        let candidates = frontier.candidates
        frontier.candidates = []
        // Some have been crawled in place of an address that redirects to them.
        frontier.remaining = candidates.filter { addresses[$0].state == .candidate }
        guard isDeepEnough == false, budget < frontier.remaining.count else { return }
        let sorted = frontier.remaining.map { (url: addresses.url($0), number: $0) }.sorted { $0.url > $1.url }
        frontier.remaining = sorted.map(\.number)
    }

    /// Pages beyond the limits are requested nevertheless, because links lead there.
    private mutating func askWithoutCrawling() {
        let rest = frontier.remaining
        frontier.remaining = []
        for number in rest where addresses[number].state == .candidate { takeTurn(number, isCrawled: false) }
    }
}
