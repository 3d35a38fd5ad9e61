// The report is sent in parts: the cost of each depends on its size, and a window limits those in transit.
extension Audit.Model {
    /// The maximum number of parts in transit.
    private static var window: Int { 4 }
    /// How many bytes the rows of a part have at most, unless it is one: as base64 less than 64 KiB, or the fleet's limit.
    private var partBytes: Int {
        // One KiB is for paths and names.
        let limit = min(max(request?.payloadLimit ?? .max, 4 << 10), 64 << 10) - (1 << 10)
        return limit / 4 * 3
    }
    /// The number of attempts to assemble a report before writers that lose parts have failed.
    private static var rounds: Int { 10 }

    /// Sends the report.
    mutating func write(_ effects: inout [Audit.Effect]) {
        phase = .writing
        writing = ReportCursor(report: request?.id ?? "")
        summary = Summary(
            pages: counts.pages, links: counts.links, broken: 0, redirects: 0,
            files: ReportFiles(json: "", html: "", seconds: 0), cutShort: cutShort)
        effects.append(.showProgress(progress))
        sendParts(&effects)
    }

    /// A writer has kept a part.
    mutating func partWritten(_ number: Int, of report: String, _ effects: inout [Audit.Effect]) -> Bool {
        guard phase == .writing, writing?.report == report, let place = writing?.open.firstIndex(of: number) else {
            return false
        }
        writing?.open.remove(at: place)
        sendParts(&effects)
        return true
    }

    /// The writer that assembles the report does not have these parts.
    mutating func sendAgain(_ numbers: [Int], of report: String, _ effects: inout [Audit.Effect]) -> Bool {
        guard phase == .writing, let cursor = writing, cursor.report == report, cursor.open.isEmpty else {
            return false
        }
        if cursor.assemblies >= Self.rounds { return fail(Sentence.partsLost, of: report, &effects) }
        writing?.again = Set(numbers).filter(cursor.starts.indices.contains).sorted(by: >)
        sendParts(&effects)
        return true
    }

    /// The report is in place.
    mutating func conclude(_ files: ReportFiles, _ effects: inout [Audit.Effect]) -> Bool {
        guard phase == .writing, var summary else { return false }
        summary.broken = files.broken ?? broken.links.count
        summary.redirects = files.redirects ?? redirected.links.count
        summary.files = files
        // NaN cannot be encoded.
        if files.seconds.isFinite == false { summary.files.seconds = 0 }
        end(.finished(summary), &effects)
        return true
    }

    /// The report could not be written: everything else is kept for the next attempt.
    mutating func fail(_ reason: String, of report: String?, _ effects: inout [Audit.Effect]) -> Bool {
        guard phase == .writing, report == nil || report == writing?.report else { return false }
        phase = .unwritten
        writing = nil
        let outcome = Outcome.reportFailed(Sentence.unwritten(reason))
        effects.append(.finish(Finish(request: request?.id ?? "", outcome: outcome)))
        return true
    }

    private mutating func sendParts(_ effects: inout [Audit.Effect]) {
        guard let report = writing?.report else { return }
        while let open = writing?.open.count, open < Self.window, let (number, rows) = nextPart() {
            writing?.open.append(number)
            let directory = request?.reportDirectory ?? ""
            effects.append(
                .writePart(ReportPart(report: report, directory: directory, number: number, rows: ReportRows(rows))))
        }
        guard let parts = writing?.starts.count, writing?.open.isEmpty == true else { return }
        writing?.assemblies += 1
        effects.append(.assembleReport(ReportAssembly(report: report, parts: parts, head: reportHead)))
    }

    /// A part that was lost, or else the next one; `nil` when all are sent.
    private mutating func nextPart() -> (number: Int, rows: [ReportRow])? {
        guard let next = writing?.next, let count = writing?.starts.count else { return nil }
        if let number = writing?.again.popLast(), let start = writing?.starts[number] {
            let end = number + 1 < count ? writing?.starts[number + 1] : next
            return (number, rows(from: start, to: end).rows)
        }
        guard next < broken.links.count + redirected.links.count else { return nil }
        let (rows, end) = rows(from: next, to: nil)
        writing?.starts.append(next)
        writing?.next = end
        return (count, rows)
    }

    /// The rows of the links in a range; without its end as many as a part holds, and where they end.
    private func rows(from start: Int, to end: Int?) -> (rows: [ReportRow], end: Int) {
        var rows: [ReportRow] = []
        var texts: Set<String> = []
        var bytes = 0
        var place = start
        let limitOfBytes = partBytes
        let limit = end ?? broken.links.count + redirected.links.count
        while place < limit {
            let row = row(at: place)
            // A text weighs once, a row at most five numbers.
            bytes += 32
            for text in row.map({ [$0.page, $0.link, $0.note] }) ?? [] where texts.insert(text).inserted {
                bytes += text.utf8.count + 4
            }
            if end == nil, bytes > limitOfBytes, rows.isEmpty == false { break }
            if let row { rows.append(row) }
            place += 1
        }
        return (rows, place)
    }

    /// Broken links first, then redirecting ones, as they were found; `nil` for a link that is neither.
    private func row(at place: Int) -> ReportRow? {
        let isBroken = place < broken.links.count
        let link = isBroken ? broken.links[place] : redirected.links[place - broken.links.count]
        guard case .settled(let fault, let route) = verdict(on: link) else { return nil }
        let page = WebURL.withoutSecrets(addresses.url(link.page))
        if isBroken {
            guard let fault else { return nil }
            return ReportRow(
                kind: .broken, page: page, line: Int(link.line), link: text(of: link), note: Sentence.reason(fault),
                status: status(fault, link, route))
        }
        guard route.redirects > 0 else { return nil }
        let fragment = route.fragment.map { "#" + Fragment.encoded($0) } ?? ""
        return ReportRow(
            kind: .redirect, page: page, line: Int(link.line), link: text(of: link),
            note: WebURL.withoutSecrets(addresses.url(route.last)) + fragment,
            status: Int(addresses[link.target].status))
    }

    private func text(of link: LinkRecord) -> String {
        guard link.target >= 0 else { return WebURL.withoutSecrets(link.fragment ?? "") }
        return WebURL.withoutSecrets(addresses.url(link.target))
            + (link.fragment.map { "#" + Fragment.encoded($0) } ?? "")
    }

    private func status(_ fault: Fault, _ link: LinkRecord, _ route: Route) -> Int? {
        switch fault {
        case .invalid, .failed: nil
        case .status(let status): status
        case .missingAnchor, .wrongType, .redirectNowhere: Int(addresses[route.last].status)
        case .redirectLoop, .tooManyRedirects: Int(addresses[link.target].status)
        }
    }

    /// Counts over all addresses, which takes less time than putting one part together.
    private var askedAddresses: Int { addresses.records.count { $0.state == .answered || $0.state == .failed } }

    /// What a limit left out: pages of the scope that answered as such and were not crawled.
    private var cutShort: CutShort? {
        guard isLimited else { return nil }
        let pages = addresses.records.indices.count { index in
            let record = addresses.records[index]
            return record.state == .answered && 200..<300 ~= record.status && record.flags.contains(.hasAnchors)
                && record.flags.contains(.isCrawled) == false && addresses.hasPrefix(Int32(index), scope)
        }
        guard pages > 0 else { return nil }
        if let maxPages = request?.maxPages, counts.pages >= maxPages {
            return CutShort(pages: pages, limit: .maxPages, value: maxPages)
        }
        return request?.depth.map { CutShort(pages: pages, limit: .depth, value: $0) }
    }

    private var reportHead: ReportHead {
        ReportHead(
            start: WebURL.withoutSecrets(request?.start ?? ""), directory: request?.reportDirectory ?? "",
            started: request?.time ?? 0,
            pages: counts.pages, links: counts.links, addresses: askedAddresses, disallowed: counts.disallowed,
            unchecked: counts.external, cutShort: cutShort)
    }
}
