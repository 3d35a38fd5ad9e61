import Foundation
import SiteAudit

/// Makes both files of a report from its parts, one part in memory at a time.
struct ReportAssembler {
    /// The outcome of assembling a report.
    enum Outcome {
        case written(ReportFiles)
        /// Nothing is changed: these parts are missing or damaged.
        case missing([Int])
    }

    let folder: PartFolder
    let assembly: ReportAssembly

    /// Writes both files beside the parts and, once the disk has them, puts them in place.
    ///
    /// A reader sees at any time all of the old or all of the new one of each.
    func write(seconds: Double) throws(ReportFailure) -> Outcome {
        let place = try folder.workplace()
        var json = try OutputFile(place.appendingPathComponent("report.json"))
        var html = try OutputFile(place.appendingPathComponent("report.html"))
        var jsonText = ReportJSON(assembly.head)
        var htmlText = ReportHTML(assembly.head, seconds: seconds)
        try json.write(jsonText.opening)
        try html.write(htmlText.opening)
        var missing: [Int] = []
        for number in 0..<max(0, assembly.parts) {
            guard let rows = folder.rows(number) else {
                missing.append(number)
                continue
            }
            for row in rows where missing.isEmpty {
                try json.write(jsonText.row(row))
                try html.write(htmlText.row(row))
            }
        }
        if missing.isEmpty == false { return .missing(missing) }
        try json.write(jsonText.closing(seconds: seconds))
        try html.write(htmlText.closing)
        try json.close()
        try html.close()
        return .written(
            ReportFiles(
                json: try putInPlace("report.json", from: place), html: try putInPlace("report.html", from: place),
                seconds: seconds))
    }

    /// Moves a file to the report's folder, and returns its path there.
    private func putInPlace(_ name: String, from place: URL) throws(ReportFailure) -> String {
        let target = folder.directory.appendingPathComponent(name)
        try ReportFailure.explaining(target) {
            guard rename(place.appendingPathComponent(name).path, target.path) == 0 else {
                throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
            }
        }
        try syncDirectory()
        return target.path
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
