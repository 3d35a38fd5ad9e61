import Foundation
import SiteAudit

/// Makes both files of a report from its parts, with memory for a few MiB of them, however many there are.
struct ReportAssembler {
    /// What came of it.
    enum Outcome {
        case written(ReportFiles)
        /// Nothing is changed: these parts are missing or damaged.
        case missing([Int])
    }

    /// How many bytes of parts are sorted in memory at a time.
    private static let runBytes = 4 << 20

    private let folder: PartFolder
    private let assembly: ReportAssembly

    init(_ folder: PartFolder, _ assembly: ReportAssembly) {
        self.folder = folder
        self.assembly = assembly
    }

    /// Writes both files beside the parts and, once the disk has them, puts them in place.
    ///
    /// A reader sees at any time all of the old or all of the new one of each.
    func write(seconds: Double) throws(ReportFailure) -> Outcome {
        let place = try folder.workplace()
        let rows = place.appendingPathComponent("rows")
        let json = place.appendingPathComponent("report.json")
        let html = place.appendingPathComponent("report.html")
        let (runs, missing) = try runs(in: place)
        if missing.isEmpty == false { return .missing(missing) }
        let counts = try merge(runs, into: rows, json, seconds)
        try write(html, ReportHTML(assembly.head, counts, seconds: seconds), rows)
        for file in [json, html] {
            let target = folder.directory.appendingPathComponent(file.lastPathComponent)
            try ReportFailure.explaining(target) {
                guard rename(file.path, target.path) == 0 else {
                    throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
                }
            }
        }
        try syncDirectory()
        let name = { (file: URL) in folder.directory.appendingPathComponent(file.lastPathComponent).path }
        return .written(
            ReportFiles(
                json: name(json), html: name(html), seconds: seconds, broken: counts.broken, redirects: counts.redirects
            ))
    }

    /// Sorts the rows of all runs into a file, and writes them to `json` on the way.
    private func merge(
        _ runs: [URL], into file: URL, _ json: URL, _ seconds: Double
    ) throws(ReportFailure) -> ReportCounts {
        var sources: [RowFile] = []
        for run in runs { sources.append(try RowFile(run)) }
        var merge = try RowMerge(sources)
        var counts = ReportCounts()
        var text = ReportJSON(assembly.head)
        var rows = try OutputFile(file)
        var output = try OutputFile(json)
        try output.write(text.opening)
        while let row = try merge.next() {
            counts.add(row)
            try rows.write(row)
            try output.write(text.row(row))
        }
        try output.write(text.closing(seconds: seconds))
        try output.close(syncs: true)
        try rows.close(syncs: false)
        return counts
    }

    /// Sorts as many parts at a time as memory is meant for, each time into a file.
    private func runs(in place: URL) throws(ReportFailure) -> (runs: [URL], missing: [Int]) {
        var (runs, missing): ([URL], [Int]) = ([], [])
        var rows: [ReportRow] = []
        var bytes = 0
        for number in 0..<max(0, assembly.parts) {
            if let part = folder.rows(number) { rows += part } else { missing.append(number) }
            bytes += folder.size(number)
            guard bytes >= Self.runBytes || number == assembly.parts - 1 else { continue }
            rows.sort()
            let url = place.appendingPathComponent("run-\(runs.count)")
            var run = try OutputFile(url)
            for row in rows { try run.write(row) }
            try run.close(syncs: false)
            runs.append(url)
            (rows, bytes) = ([], 0)
        }
        return (runs, missing)
    }

    /// Goes through the rows twice at a time: one reader counts the rows of a page ahead of the other, which writes them.
    private func write(_ file: URL, _ text: ReportHTML, _ rows: URL) throws(ReportFailure) {
        var output = try OutputFile(file)
        var reader = try RowFile(rows)
        var ahead = try RowFile(rows)
        var first = try ahead.next()
        var kind: ReportRow.Kind?
        try output.write(text.opening)
        while let group = first {
            if kind != group.kind {
                if kind != nil { try output.write(text.closingOfKind) }
                kind = group.kind
                try output.write(text.opening(of: group.kind))
            }
            var count = 0
            repeat {
                count += 1
                first = try ahead.next()
            } while first?.page == group.page && first?.kind == group.kind
            try output.write(text.opening(ofGroup: group, count: count))
            for _ in 0..<count {
                if let row = try reader.next() { try output.write(text.row(row)) }
            }
            try output.write(text.closingOfGroup)
        }
        if kind != nil { try output.write(text.closingOfKind) }
        try output.write(text.closing)
        try output.close(syncs: true)
    }

    /// Names are in the folder, which is to be on the disk as well.
    private func syncDirectory() throws(ReportFailure) {
        let directory = folder.directory
        try ReportFailure.explaining(directory) {
            let descriptor = open(directory.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
            defer { close(descriptor) }
            // Some file systems cannot sync a folder (EINVAL); they keep names in order without.
            _ = fsync(descriptor)
        }
    }
}
