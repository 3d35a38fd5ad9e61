import MobiusProcess
import MobiusWire
import Testing
import mobius

@Suite("What mobius status --watch shows")
struct WatchTextTests {
    private static let now = WallTime(milliseconds: 1_772_366_400_000)

    private static func status(pools: [PoolStatus], workers: [WorkerStatus]) -> FleetStatus {
        FleetStatus(
            program: "site-audit", build: "1", journal: JournalID(high: 0, low: 0), epoch: 3,
            started: WallTime(milliseconds: now.milliseconds - 192_000), maximumPayload: 1, pending: 1234, letters: 2,
            loopCount: 3, loops: [LoopStatus(loop: .main, sequence: 1, pending: 1, isHeld: true)], pools: pools,
            workers: workers)
    }

    private static func worker(_ name: String, running: UInt32, silence: UInt64 = 400) -> WorkerStatus {
        WorkerStatus(
            incarnation: Incarnation(high: 1 << 60, low: 0), pools: ["page-fetcher"], build: "1", running: running,
            free: 32 - running, silence: silence, name: name)
    }

    private static let fleet = WatchText(
        status(
            pools: [
                PoolStatus(
                    pool: "page-fetcher", workers: 2, waiting: 1202, running: 32, credit: 32, oldest: 12_000),
                PoolStatus(pool: "elsewhere", workers: 1, waiting: 0, running: 0, credit: 8),
            ],
            workers: [
                worker("page-fetcher.1", running: 32), worker("page-fetcher.2~3", running: 0, silence: 4000),
                worker("", running: 0),
            ]),
        processes: [
            .init(name: "site-audit", pool: nil, state: "running", restarts: 1),
            .init(name: "page-fetcher.1", pool: "page-fetcher", state: "running", restarts: 0),
            .init(name: "page-fetcher.2", pool: "page-fetcher", state: "running", restarts: 2),
            .init(name: "page-fetcher.3", pool: "page-fetcher", state: "waiting", restarts: 5),
            .init(name: "report-writer.1", pool: "report-writer", state: "starting", restarts: 0),
        ], rate: 532.4, now: now)

    @Test("At 80 columns")
    func whole() {
        #expect(
            Self.fleet.lines(width: 80, height: 24) == [
                "site-audit   epoch 3 for 3m12s   restarted once   2026-03-01T12:00:00Z",
                "loops 3 (1 held)   pending 1234   dead letters 2   events/s 532",
                "",
                "POOL           PENDING  OLDEST  RUNNING  CREDIT  WORKERS  RESTARTS",
                "page-fetcher      1234     12s       32      32      2/3         7",
                "elsewhere            0       -        0       8        1         -",
                "report-writer        0       -        0       0      0/1         0",
                "",
                "WORKER                    STATE  RUNNING  CREDIT  HEARD  RESTARTS",
                "page-fetcher.1           joined       32       0  400ms         0",
                "page-fetcher.2~3         silent        0      32     4s         2",
                "10000000 page-fetcher    joined        0      32  400ms         -",
                "page-fetcher.3          waiting        -       -      -         5",
                "report-writer.1        starting        -       -      -         0",
            ])
    }

    @Test("Nothing is wider or higher than the screen; names give way, numbers stay")
    func small() {
        for (width, height) in [(80, 24), (80, 12), (60, 10), (40, 8), (20, 3), (10, 1)] {
            let lines = Self.fleet.lines(width: width, height: height)
            #expect(lines.count <= height)
            #expect(lines.allSatisfy { TerminalText.width($0) <= width })
        }
        #expect(Self.fleet.lines(width: 80, height: 12).last == "… and 3 more workers")
        #expect(Self.fleet.lines(width: 62, height: 24)[4].hasPrefix("page-fet…"))
    }

    @Test("A hundred workers with long names fit, too")
    func many() {
        let names = (1...100).map { "a-pool-with-a-name-of-sixty-four-letters-which-is-the-most-allowed.\($0)" }
        let text = WatchText(
            Self.status(pools: [], workers: names.map { Self.worker($0, running: 1) }), processes: nil, rate: nil,
            now: Self.now)
        let lines = text.lines(width: 80, height: 24)
        #expect(lines.count == 24)
        #expect(lines.allSatisfy { TerminalText.width($0) <= 80 })
        #expect(lines[1].hasSuffix("events/s -"))
        #expect(lines.last?.hasSuffix("more workers") == true)
    }

    @Test("Events per second over the last five, begun anew with every run of the coordinator")
    func rate() {
        var rate = EventRate()
        #expect(rate.perSecond == nil)
        for second in 0..<20 { rate.record(UInt64(second * second), epoch: 1, at: .seconds(second)) }
        // From 14² to 19² in five seconds.
        #expect(rate.perSecond == Double(361 - 196) / 5)
        rate.record(400, epoch: 2, at: .seconds(20))
        #expect(rate.perSecond == nil)
        rate.record(410, epoch: 2, at: .milliseconds(20_500))
        #expect(rate.perSecond == 20)
        rate.record(5, epoch: 2, at: .seconds(21))
        #expect(rate.perSecond == nil)
        rate.record(nil, epoch: 2, at: .seconds(22))
        #expect(rate.perSecond == nil)
    }
}
