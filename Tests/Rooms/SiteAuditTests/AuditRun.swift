import Foundation
import MobiusCore
import SiteAudit

/// Runs a whole audit against a ``FakeSite``: the part of coordinator and workers, in one thread.
struct AuditRun {
    /// In which order effects are answered.
    enum Order: Sendable {
        case firstFirst, lastFirst
        /// Any order; one answer in four comes twice, and now and then the model goes through its journal form.
        case shuffled(seed: UInt64)
    }

    private(set) var model: Audit.Model
    /// Every request that was made, in order.
    private(set) var requests: [FetchRequest] = []
    private(set) var report: Report?
    /// Every part of a report that was sent, in order.
    private(set) var parts: [ReportPart] = []
    /// The largest number of parts under way at once.
    private(set) var mostParts = 0
    private(set) var finishes: [Finish] = []
    private(set) var progress: [AuditProgress] = []
    private(set) var waits: [Wait] = []
    /// The largest number of requests under way at once.
    private(set) var mostInFlight = 0
    /// Effects that wait for their answer.
    var pending: [Audit.Effect] = []
    /// Whether the report can be written.
    var canWrite = true

    let site: FakeSite
    private let store = PartStore()
    private var order: Order
    private var generator: SeededGenerator
    /// Its own, so that losses change no order.
    private var losses = SeededGenerator(seed: 1)

    init(_ site: FakeSite, order: Order = .firstFirst) {
        self.site = site
        self.order = order
        model = Audit.initiate().model
        if case .shuffled(let seed) = order {
            generator = SeededGenerator(seed: seed)
        } else {
            generator = SeededGenerator(seed: 0)
        }
    }

    /// An audit of `start` from its request to its end.
    static func of(
        _ site: FakeSite, start: String = "http://site/", order: Order = .firstFirst,
        _ adjust: (inout AuditRequest) -> Void = { _ in }
    ) -> AuditRun {
        var run = AuditRun(site, order: order)
        run.send(.auditRequested(request(start, adjust)))
        run.answerAll()
        return run
    }

    static func request(
        _ start: String = "http://site/", id: String = "first", _ adjust: (inout AuditRequest) -> Void = { _ in }
    ) -> AuditRequest {
        var request = AuditRequest(id: id, time: 1000, start: start, reportDirectory: "/reports")
        adjust(&request)
        return request
    }

    var summary: Summary? {
        guard case .finished(let summary, _) = finishes.last?.outcome else { return nil }
        return summary
    }

    var files: ReportFiles? {
        guard case .finished(_, let files) = finishes.last?.outcome else { return nil }
        return files
    }

    /// Applies an event; its effects wait for ``answerNext()``.
    @discardableResult
    mutating func send(_ event: Audit.Event) -> Change<Audit.Effect> {
        let change = Audit.step(&model, event)
        for effect in change.effects {
            switch effect {
            case .finish(let finish): finishes.append(finish)
            case .showProgress(let shown): progress.append(shown)
            case .fetch(let request):
                requests.append(request)
                pending.append(effect)
            case .wait(let wait):
                waits.append(wait)
                pending.append(effect)
            case .writePart(let part):
                parts.append(part)
                pending.append(effect)
            case .assembleReport: pending.append(effect)
            }
        }
        let inFlight = pending.count { if case .fetch = $0 { true } else { false } }
        mostInFlight = max(mostInFlight, inFlight)
        mostParts = max(mostParts, pending.count { if case .writePart = $0 { true } else { false } })
        return change
    }

    mutating func answerAll() {
        while pending.isEmpty == false { answerNext() }
    }

    /// Answers one effect; when shuffled, perhaps twice, perhaps after a restart, perhaps after parts were lost.
    mutating func answerNext() {
        let event = event(for: takeNext())
        send(event)
        guard case .shuffled = order else { return }
        if Int.random(in: 0..<4, using: &generator) == 0 { send(event) }
        if Int.random(in: 0..<10, using: &generator) == 0 { restart() }
        if Int.random(in: 0..<10, using: &losses) == 0 { store.lose(using: &losses) }
    }

    /// Takes the model through its journal form, as a killed coordinator's.
    mutating func restart() {
        do {
            model = try JSONDecoder().decode(Audit.Model.self, from: JSONEncoder().encode(model))
        } catch {
            fatalError("the model cannot be read back: \(error)")
        }
    }

    private mutating func takeNext() -> Audit.Effect {
        switch order {
        case .firstFirst: pending.removeFirst()
        case .lastFirst: pending.removeLast()
        case .shuffled: pending.remove(at: Int.random(in: 0..<pending.count, using: &generator))
        }
    }

    private mutating func event(for effect: Audit.Effect) -> Audit.Event {
        switch effect {
        case .fetch(let request): return site.event(for: request)
        case .wait(let wait): return .waited(wait)
        case .writePart(let part):
            guard canWrite else { return .reportFailed("no space left", report: part.report) }
            store.keep(part)
            return .partWritten(report: part.report, number: part.number)
        case .assembleReport(let assembly):
            guard canWrite else { return .reportFailed("no space left", report: assembly.report) }
            let (report, missing) = store.assemble(assembly)
            guard let report else { return .partsMissing(report: assembly.report, numbers: missing) }
            self.report = report
            return .reportWritten(report.files(seconds: 1.5))
        case .showProgress, .finish: fatalError("nobody answers \(effect)")
        }
    }
}
