import Foundation
import MobiusCore
import SiteAudit
import Testing

/// Whatever events come from outside, `update` neither traps nor makes a model that cannot be kept.
@Suite struct DrawnEventTests {
    /// `DRAWN_EVENTS=1000000` in the environment draws so many instead.
    private static let count =
        ProcessInfo.processInfo.environment["DRAWN_EVENTS"].flatMap { Int($0) } ?? 20_000

    @Test func noEventTraps() throws {
        var generator = SeededGenerator(seed: 18)
        var model = Audit.initiate().model
        var effects: [Audit.Effect] = []
        for number in 0..<Self.count {
            let change = Audit.step(&model, draw(after: effects, &generator))
            effects = (effects.suffix(20) + change.effects)
            if number % 1_000 == 0 {
                model = try JSONDecoder().decode(Audit.Model.self, from: JSONEncoder().encode(model))
            }
            // New audits, so that each phase is met at its beginning.
            if number % 200 == 0 { model = Audit.initiate().model }
        }
    }

    private func draw(after effects: [Audit.Effect], _ generator: inout SeededGenerator) -> Audit.Event {
        // Half of them answer something that was asked: others rarely get anywhere.
        if Bool.random(using: &generator), let effect = effects.randomElement(using: &generator) {
            switch effect {
            case .fetch(let request): return answer(to: request, &generator)
            case .wait(let wait): return .waited(wait)
            case .writePart(let part): return .partWritten(report: part.report, number: part.number)
            case .assembleReport(let assembly):
                let numbers = [int(&generator), int(&generator)]
                return Bool.random(using: &generator)
                    ? .partsMissing(report: assembly.report, numbers: numbers)
                    : .reportFailed(text(&generator), report: assembly.report)
            default: break
            }
        }
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1: return .auditRequested(request(&generator))
        case 2: return answer(to: fetch(&generator), &generator)
        case 3: return .waited(Wait(origin: url(&generator), token: int(&generator), milliseconds: int(&generator)))
        case 4:
            return .reportWritten(
                ReportFiles(json: text(&generator), html: text(&generator), seconds: double(&generator)))
        case 5: return .reportFailed(text(&generator), report: text(&generator))
        case 6: return .partWritten(report: text(&generator), number: int(&generator))
        case 7: return .partsMissing(report: text(&generator), numbers: [int(&generator), int(&generator)])
        default: return .outcomeSeen(text(&generator))
        }
    }

    private func request(_ generator: inout SeededGenerator) -> AuditRequest {
        AuditRequest(
            id: text(&generator), time: double(&generator), start: url(&generator), reportDirectory: text(&generator),
            maxPages: maybe(&generator, int), depth: maybe(&generator, int), checksExternal: .random(using: &generator),
            concurrency: int(&generator), perHost: int(&generator), delay: int(&generator),
            timeLimit: maybe(&generator, int))
    }

    private func answer(to request: FetchRequest, _ generator: inout SeededGenerator) -> Audit.Event {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let failures: [FetchFailure] = [
                .hostNotFound, .connectionFailed, .timedOut, .insecure, .invalidAnswer, .workerFailed, .workerTimedOut,
                .brokenOff,
            ]
            return .fetchFailed(request, failures.randomElement(using: &generator) ?? .timedOut)
        case 1:
            return .fetchedPart(
                request,
                PagePart(attempt: text(&generator), number: int(&generator), page: page(on: request.url, &generator)))
        default:
            let statuses = [200, 200, 200, 301, 302, 404, 429, 500, 503, int(&generator)]
            var answer = FetchAnswer(
                status: statuses.randomElement(using: &generator) ?? 200,
                contentType: ["text/html", "text/html", "image/png", text(&generator)].randomElement(using: &generator),
                location: maybe(&generator, url), page: maybe(&generator) { page(on: request.url, &$0) },
                text: maybe(&generator, text), retryAfter: maybe(&generator, int))
            answer.cookies = maybe(&generator) { [text(&$0)] }
            answer.isHead = maybe(&generator) { Bool.random(using: &$0) }
            answer.unread = maybe(&generator) { FetchAnswer.Unread.allCases.randomElement(using: &$0) ?? .coding }
            answer.partsBefore = maybe(&generator) {
                FetchAnswer.PartsBefore(attempt: text(&$0), count: int(&$0))
            }
            return .fetched(request, answer)
        }
    }

    private func fetch(_ generator: inout SeededGenerator) -> FetchRequest {
        let purposes: [FetchRequest.Purpose] = [.page, .check, .robots, .visit]
        return FetchRequest(
            url: url(&generator), purpose: purposes.randomElement(using: &generator) ?? .page,
            timeLimit: maybe(&generator, int), retry: maybe(&generator, int), credentials: maybe(&generator, text))
    }

    private func page(on url: String, _ generator: inout SeededGenerator) -> FetchedPage {
        let kinds = FetchedLink.Kind.allCases
        let links = (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
            FetchedLink(
                written: text(&generator), url: maybe(&generator, self.url), fragment: maybe(&generator, text),
                line: int(&generator), kind: kinds.randomElement(using: &generator) ?? .other)
        }
        return FetchedPage(links: links, anchors: maybe(&generator) { [text(&$0), text(&$0)] } ?? [])
    }

    // MARK: Values

    private func maybe<Value>(
        _ generator: inout SeededGenerator, _ draw: (inout SeededGenerator) -> Value
    ) -> Value? {
        Bool.random(using: &generator) ? draw(&generator) : nil
    }

    private func int(_ generator: inout SeededGenerator) -> Int {
        [.min, .min + 1, -1, 0, 1, 2, 10, Int(Int32.max), Int(Int32.min) - 1, .max - 1, .max].randomElement(
            using: &generator) ?? 0
    }

    private func double(_ generator: inout SeededGenerator) -> Double {
        [0, -1, 1e300, .nan, .infinity, -.infinity, .leastNonzeroMagnitude].randomElement(using: &generator) ?? 0
    }

    private func url(_ generator: inout SeededGenerator) -> String {
        let known = ["http://site/", "http://site/a", "http://u:p@site/b?c", "https://other:444/x", "http://[::1]/"]
        return Bool.random(using: &generator) ? known.randomElement(using: &generator) ?? "" : text(&generator)
    }

    private func text(_ generator: inout SeededGenerator) -> String {
        let texts = [
            "", " ", "\u{0}", "é\u{301}", "\u{202E}\u{9B}", "http://", "http://[", "http://@", "//", "%", "%zz", "a@b",
            "User-agent: *\nDisallow: /a*$\nCrawl-delay: 1e300", "Crawl-delay: -0", "http://xn--/", "http://\u{FF0E}/",
            "http://site:99999/", "1.1", String(repeating: "😀", count: 300), "http://ü.\u{10FFFF}/..//../%2e",
        ]
        return texts.randomElement(using: &generator) ?? ""
    }
}
