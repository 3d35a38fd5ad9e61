import MobiusCore
import MobiusTestKit
import SiteAudit
import Synchronization

/// Site Audit as a fleet: its own routes, and workers that know a site in memory.
final class AuditFleet: Sendable {
    private struct State {
        var fetched: [(url: String, at: Duration)] = []
        var reports: [Report] = []
        var progress: [AuditProgress] = []
        var finishes: [Finish] = []
    }

    let clock = FleetClock()
    private let site: FakeSite
    /// How long a server takes to answer, where it is not half a second.
    private let pauses: [String: Duration]
    /// When no server takes connections.
    private let outage: ClosedRange<Duration>?
    /// Whether the first worker that is asked for a URL hangs.
    private let hangsOnce: Bool
    private let start: ContinuousClock.Instant
    private let state = Mutex(State())

    init(
        _ site: FakeSite, pauses: [String: Duration] = [:], outage: ClosedRange<Duration>? = nil,
        hangsOnce: Bool = false
    ) {
        self.hangsOnce = hangsOnce
        self.outage = outage
        self.site = site
        self.pauses = pauses
        start = clock.now
    }

    func fleet(fetchers: Int = 2, writers: Int = 1, seed: UInt64 = 1, faults: FleetFaults = .none) -> TestFleet<Audit> {
        let routes = Audit.routes(
            timeout: .seconds(10), clock: clock, show: { [self] shown in state.withLock { $0.progress.append(shown) } },
            finish: { [self] finish in state.withLock { $0.finishes.append(finish) } })
        return TestFleet(
            Audit.self, routes: routes,
            workers: [
                .pool("page-fetcher", processes: fetchers, concurrency: 4) { self.fetcher },
                // Each process with a disk of its own, which is lost with it.
                .pool("report-writer", processes: writers) { self.writer(PartStore()) },
            ], seed: seed, faults: faults, clock: clock)
    }

    private var fetcher: EffectRouter<Audit.Effect, Audit.Event> {
        EffectRouter().routeCase(Audit.Effect.fetch).toEvent { [self] request in
            state.withLock { $0.fetched.append((request.url, clock.now - start)) }
            try? await clock.sleep(for: pauses[request.url] ?? .milliseconds(500))
            if hangsOnce, fetched.count(where: { $0.url == request.url }) == 1 {
                try? await clock.sleep(for: .seconds(36_000))
            }
            if let outage, outage.contains(clock.now - start) { return .fetchFailed(request, .connectionFailed) }
            return site.event(for: request)
        }
    }

    private func writer(_ store: PartStore) -> EffectRouter<Audit.Effect, Audit.Event> {
        EffectRouter()
            .routeCase(Audit.Effect.writePart).toEvent { [self] part in
                try? await clock.sleep(for: .milliseconds(100))
                store.keep(part)
                return .partWritten(report: part.report, number: part.number)
            }
            .routeCase(Audit.Effect.assembleReport).toEvent { [self] assembly in
                let (report, missing) = store.assemble(assembly)
                guard let report else { return .partsMissing(report: assembly.report, numbers: missing) }
                state.withLock { $0.reports.append(report) }
                try? await clock.sleep(for: .seconds(1))
                return .reportWritten(report.files(seconds: 1.5))
            }
    }

    /// What was asked of servers, in order, and when.
    var fetched: [(url: String, at: Duration)] { state.withLock { $0.fetched } }
    /// The reports that were written, each as often as it was.
    var reports: [Report] { state.withLock { $0.reports } }
    /// What the one who watches was shown.
    var progress: [AuditProgress] { state.withLock { $0.progress } }
    /// What the one who asked was told.
    var finishes: [Finish] { state.withLock { $0.finishes } }
}

extension FakeSite {
    /// A site of twelve pages in a ring, with a broken link, an image, a redirect, and a page that wants a cookie.
    static var ring: FakeSite {
        var site = FakeSite()
        site.page("http://site/", ["1.html", .image("logo.png"), "moved.html"])
        for number in 1...11 {
            let next = Link(written: "\(number % 11 + 1).html")
            let other = Link(written: "\(number * 3 % 11 + 1).html")
            site.page("http://site/\(number).html", [next, other, "/"])
        }
        site.page("http://site/5.html", ["6.html", "nowhere.html"])
        site.file("http://site/logo.png", "image/png")
        site.redirect("http://site/moved.html", to: "http://site/2.html")
        site.gates["http://site/7.html"] = ("seen=1", "http://site/7.html")
        site.cookies["http://site/7.html"] = "seen=1"
        return site
    }
}
