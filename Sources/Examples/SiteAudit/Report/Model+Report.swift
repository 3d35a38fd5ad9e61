// The report is sent in parts: the cost of each depends on its size, and a window limits those in transit.
extension Audit.Model {
    /// The maximum number of parts in transit.
    private static var window: Int { 4 }
    /// The largest number of bytes of a part's rows, unless it has only one: 64 KiB, or the fleet's limit.
    private var partBytes: Int {
        // One KiB is for paths and names.
        min(max(request?.payloadLimit ?? .max, 4 << 10), 64 << 10) - (1 << 10)
    }
    /// The number of attempts to assemble a report before writers that lose parts have failed.
    private static var rounds: Int { 10 }

    /// Puts the findings in order, and sends them.
    mutating func write(_ effects: inout [Audit.Effect]) {
        phase = .writing
        effects.append(.showProgress(nextProgress()))
        counts.shown = AuditProgress.mostShown
        putInOrder()
        let unread = addresses.records.indices.map { Int32($0) }
            .filter { addresses[$0].unread > 0 && addresses[$0].flags.contains(.isCrawled) }
            .sorted { addresses.precedes($0, $1) }
        writing = ReportCursor(report: request?.id ?? "", summary: summary(unread: unread), unread: unread)
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
        guard phase == .writing, let summary = writing?.summary else { return false }
        var files = files
        // NaN cannot be encoded.
        if files.seconds.isFinite == false { files.seconds = 0 }
        end(.finished(summary, files), &effects)
        return true
    }

    /// The report could not be written: everything else is kept for the next attempt.
    mutating func fail(_ reason: String, of report: String, _ effects: inout [Audit.Effect]) -> Bool {
        guard phase == .writing, report == writing?.report else { return false }
        phase = .unwritten
        writing = nil
        let outcome = Outcome.reportFailed(Sentence.unwritten(reason))
        effects.append(.finish(Finish(request: request?.id ?? "", outcome: outcome)))
        return true
    }

    // MARK: Parts

    private mutating func sendParts(_ effects: inout [Audit.Effect]) {
        guard let report = writing?.report else { return }
        let directory = request?.reportDirectory ?? ""
        while let open = writing?.open.count, open < Self.window, let (number, rows) = nextPart() {
            writing?.open.append(number)
            effects.append(
                .writePart(ReportPart(report: report, directory: directory, number: number, rows: ReportRows(rows))))
        }
        guard let cursor = writing, cursor.open.isEmpty else { return }
        writing?.assemblies += 1
        var head = ReportHead(
            start: WebURL.withoutSecrets(request?.start ?? ""), directory: directory, started: request?.time ?? 0,
            summary: cursor.summary)
        head.summary.reasons = []
        effects.append(.assembleReport(ReportAssembly(report: report, parts: cursor.starts.count, head: head)))
    }

    /// A part that was lost, or else the next one; `nil` when all are sent.
    private mutating func nextPart() -> (number: Int, rows: [ReportRow])? {
        guard let next = writing?.next, let count = writing?.starts.count, let unread = writing?.unread.count else {
            return nil
        }
        if let number = writing?.again.popLast(), let start = writing?.starts[number] {
            let end = number + 1 < count ? writing?.starts[number + 1] : next
            return (number, rows(from: start, to: end ?? next, isWhole: true))
        }
        let end = broken.count + redirected.count + unread
        guard next < end else { return nil }
        let rows = rows(from: next, to: end, isWhole: false)
        writing?.starts.append(next)
        writing?.next = next + rows.count
        return (count, rows)
    }

    /// The rows in a range; unless they are to be the whole range, as many as a part holds.
    private func rows(from start: Int, to end: Int, isWhole: Bool) -> [ReportRow] {
        var rows: [ReportRow] = []
        var texts: Set<String> = []
        var bytes = 0
        let limit = partBytes
        for place in start..<end {
            let row = row(at: place)
            bytes += ReportRows.bytesOfNumbers
            for text in [row.page, row.link, row.note] where texts.insert(text).inserted {
                bytes += ReportRows.bytes(of: text)
            }
            if isWhole == false, bytes > limit, rows.isEmpty == false { break }
            rows.append(row)
        }
        return rows
    }

    // MARK: Rows

    /// Broken links, redirecting ones, and unread pages, each in order.
    private func row(at place: Int) -> ReportRow {
        var place = place
        if place < broken.count {
            var row = brokenRow(broken[place])
            row.group = group(in: broken, at: place)
            return row
        }
        place -= broken.count
        if redirected.indices.contains(place) {
            var row = redirectRow(redirected[place])
            row.group = group(in: redirected, at: place)
            return row
        }
        place -= redirected.count
        let unread = writing?.unread ?? []
        var row = unreadRow(unread[place])
        row.group = place == 0 ? unread.count : nil
        return row
    }

    /// The number of links on a page, of which this is the first; otherwise `nil`.
    private func group(in links: [LinkRecord], at place: Int) -> Int? {
        let page = links[place].page
        guard place == 0 || links[place - 1].page != page else { return nil }
        return links[place...].prefix { $0.page == page }.count
    }

    func brokenRow(_ link: LinkRecord) -> ReportRow {
        var row = ReportRow(
            kind: .broken, page: WebURL.withoutSecrets(addresses.url(link.page)), line: Int(link.line),
            link: text(link.target, link.fragment), note: "", status: nil)
        if case .settled(let fault?, let route) = verdict(on: link) {
            (row.note, row.status) = (ReportRow.cut(Sentence.reason(fault)), status(fault, link, route))
        }
        return row
    }

    private func redirectRow(_ link: LinkRecord) -> ReportRow {
        var (end, fragment): (Int32, Int32) = (link.target, -1)
        if case .settled(_, let route) = verdict(on: link) { (end, fragment) = (route.last, route.fragment) }
        return ReportRow(
            kind: .redirect, page: WebURL.withoutSecrets(addresses.url(link.page)), line: Int(link.line),
            link: text(link.target, link.fragment), note: text(end, fragment),
            status: Int(addresses[link.target].status))
    }

    func unreadRow(_ page: Int32) -> ReportRow {
        let reason = FetchAnswer.Unread(code: addresses[page].unread).map(Sentence.reason) ?? ""
        return ReportRow(
            kind: .unread, page: WebURL.withoutSecrets(addresses.url(page)), line: 0, link: "", note: reason,
            status: Int(addresses[page].status))
    }

    /// An address with a fragment; without an address what the author wrote.
    private func text(_ address: Int32, _ fragment: Int32) -> String {
        let fragment = fragment < 0 ? nil : addresses.fragments[fragment]
        guard address >= 0 else { return WebURL.withoutSecrets(fragment ?? "") }
        return WebURL.withoutSecrets(addresses.url(address)) + (fragment.map { "#" + Fragment.encoded($0) } ?? "")
    }

    private func status(_ fault: Fault, _ link: LinkRecord, _ route: Route) -> Int? {
        switch fault {
        case .invalid, .failed: nil
        case .status(let status): status
        case .missingAnchor, .wrongType, .redirectNowhere: Int(addresses[route.last].status)
        case .redirectLoop, .tooManyRedirects: Int(addresses[link.target].status)
        }
    }
}
