import MobiusClient
import MobiusWire
import Testing

/// The answers of several shards as one.
@Suite struct ShardAnswerTests {
    private static func loop(_ name: String) -> LoopSummary {
        LoopSummary(
            loop: LoopID(name) ?? .main, sequence: 1, pending: 0, state: .running, time: WallTime(milliseconds: 0))
    }

    private static func loops(_ names: String..., next: String? = nil) -> ClientAnswer {
        .loops(names.map(loop), next: next.flatMap { LoopID($0) })
    }

    private static func merged(_ limit: UInt32, _ answers: ClientAnswer...) -> (names: [String], next: String?) {
        let request = ClientRequest.loops(prefix: "", state: nil, after: nil, limit: limit)
        guard case .loops(let loops, let next) = ClientAnswer(ofAll: answers, to: request) else { return ([], nil) }
        return (loops.map(\.loop.name), next?.name)
    }

    @Test func `loops are in the order of their names, and the last page has no next one`() {
        let (names, next) = Self.merged(9, Self.loops("b", "d"), Self.loops("a", "c"), Self.loops())
        #expect(names == ["a", "b", "c", "d"] && next == nil)
    }

    @Test func `a page ends where the first shard's ends, so that the next misses nothing`() {
        let (names, next) = Self.merged(9, Self.loops("b", "d", next: "d"), Self.loops("a", "c", "e"))
        #expect(names == ["a", "b", "c", "d"] && next == "d")
        let (filtered, after) = Self.merged(9, Self.loops(next: "b"), Self.loops("a", "c"))
        #expect(filtered == ["a"] && after == "b")
    }

    @Test func `a page has no more than was asked for`() {
        let (names, next) = Self.merged(2, Self.loops("b", "d"), Self.loops("a", "c"))
        #expect(names == ["a", "b"] && next == "b")
    }

    @Test func `all pages together have each loop once`() {
        let shards = (0..<3).map { shard in
            (0..<50).filter { $0 % 3 == shard }.map { "loop \(100 + $0 * 7 % 50)" }.sorted()
        }
        var seen: [String] = []
        var after: String?
        repeat {
            let answers = shards.enumerated().map { place, names -> ClientAnswer in
                let rest = names.filter { name in after.map { $0 < name } ?? true }
                let page = Array(rest.prefix([1, 3, 7][place]))
                return .loops(
                    page.map(Self.loop), next: page.count < rest.count ? page.last.flatMap { LoopID($0) } : nil)
            }
            let request = ClientRequest.loops(prefix: "", state: nil, after: nil, limit: 5)
            guard case .loops(let page, let next) = ClientAnswer(ofAll: answers, to: request) else { return }
            seen += page.map(\.loop.name)
            after = next?.name
        } while after != nil
        #expect(seen == shards.flatMap(\.self).sorted())
    }

    @Test(arguments: ["total", "-total"])
    func `all pages of loops found by a fact together have each once, in the order of its values`(sort: String) throws {
        let descending = try FactSort(sort).descending
        // Many have the same value, and each shard gives pages of another size.
        let places = (0..<50).map { FactPlace(key: [UInt8($0 * 7 % 10)], loop: LoopID("loop \($0)") ?? .main) }
        let isBefore: (FactPlace, FactPlace) -> Bool = { descending ? $1 < $0 : $0 < $1 }
        let shards = (0..<3).map { shard in places.enumerated().filter { $0.offset % 3 == shard }.map(\.element) }
        var (seen, after): ([FactPlace], FactPlace?) = ([], nil)
        repeat {
            let query = FactListing(sort: sort, after: after, limit: 5)
            let answers = shards.enumerated().map { shard, all -> ClientAnswer in
                let rest = all.sorted(by: isBefore).filter { place in after.map { isBefore($0, place) } ?? true }
                let page = Array(rest.prefix([1, 3, 7][shard]))
                return .found(
                    FoundLoops(
                        loops: page.map { Self.loop($0.loop.name) }, places: page,
                        next: page.count < rest.count ? page.last : nil, isComplete: shard != 1))
            }
            guard case .found(let page) = ClientAnswer(ofAll: answers, to: .find(query)) else { return }
            #expect(page.loops.map(\.loop) == page.places.map(\.loop) && page.loops.count <= 5 && !page.isComplete)
            seen += page.places
            after = page.next
        } while after != nil
        #expect(seen == places.sorted(by: isBefore))
    }

    @Test func `a shard that refuses is the answer`() {
        let refusal = ClientAnswer.refused(ClientRefusal(.forbidden, "no"))
        let request = ClientRequest.loops(prefix: "", state: nil, after: nil, limit: 0)
        #expect(ClientAnswer(ofAll: [Self.loops("a"), refusal], to: request) == refusal)
    }

    private static let pause = PoolPause(by: "ada", why: "w", since: WallTime(milliseconds: 5))

    @Test func `what every shard had done before was done before`() {
        for (shards, isRepeated) in [([true, true], true), ([true, false], false), ([false, true], false)] {
            let answers = shards.map { ClientAnswer.done(repeated: $0) }
            #expect(ClientAnswer(ofAll: answers, to: .resumePool("p")) == .done(repeated: isRepeated))
        }
    }

    @Test func `a status is the sum of all, and a worker of all is one`() {
        func status(_ pending: UInt64, free: UInt32, events: UInt64?) -> ClientAnswer {
            .status(
                FleetStatus(
                    program: "p", build: "b", journal: JournalID(high: 1, low: pending), epoch: 1,
                    started: WallTime(milliseconds: 5), maximumPayload: 9, pending: pending, letters: 1, loopCount: 2,
                    pools: [
                        PoolStatus(
                            pool: "pool", workers: 1, waiting: pending, running: 1, credit: 2,
                            pause: pending == 3 ? nil : Self.pause)
                    ],
                    workers: [
                        WorkerStatus(
                            incarnation: Incarnation(high: 1, low: 1), pools: ["pool"], build: "b", running: 1,
                            free: free,
                            silence: UInt64(free))
                    ], events: events))
        }
        let answer = ClientAnswer(
            ofAll: [status(3, free: 2, events: 10), status(.max, free: .max, events: 5)], to: .status)
        guard case .status(let all) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(all.pending == .max && all.letters == 2 && all.loopCount == 4 && all.events == 15)
        #expect(all.pools.count == 1 && all.pools[0].workers == 1 && all.pools[0].running == 2)
        // The first one runs it.
        #expect(all.pools[0].pause == nil)
        #expect(all.workers.count == 1 && all.workers[0].free == .max && all.workers[0].silence == 2)
    }
}
