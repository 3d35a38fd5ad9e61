import Foundation
import SiteAudit

/// The folder that a report goes to.
struct ReportFolder {
    /// Why a file could not be written.
    struct Failure: Error {
        /// In the words of the operating system, with the path.
        let reason: String
    }

    private let folder: URL

    init(_ path: String) { folder = URL(fileURLWithPath: path, isDirectory: true) }

    /// Writes both files, and makes the folder when there is none.
    ///
    /// Whoever reads one of them at any time sees all of the old or all of the new one. Writing again does no harm: an
    /// effect may run twice.
    func write(_ report: Report, seconds: Double) throws(Failure) -> ReportFiles {
        if let file = obstacle { throw Failure(reason: "\(file) is a file, not a folder") }
        try attempt(folder) { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        let json = try write(report.json(seconds: seconds), to: "report.json")
        let html = try write(report.html(seconds: seconds), to: "report.html")
        return ReportFiles(json: json.path, html: html.path, seconds: seconds)
    }

    /// The nearest thing on the way that exists, if it is no folder: the system's own words for that tell nobody anything.
    private var obstacle: String? {
        var place = folder.standardizedFileURL
        var isFolder: ObjCBool = false
        while FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder) == false {
            if place.path == "/" { return nil }
            place.deleteLastPathComponent()
        }
        return isFolder.boolValue ? nil : place.path
    }

    private func write(_ text: String, to name: String) throws(Failure) -> URL {
        let file = folder.appendingPathComponent(name)
        // Atomic: a temporary file beside it takes its name once it is complete.
        try attempt(file) { try Data(text.utf8).write(to: file, options: .atomic) }
        return file
    }

    private func attempt(_ place: URL, _ body: () throws -> Void) throws(Failure) {
        do {
            try body()
        } catch {
            throw Failure(reason: "\(place.path): \(Self.words(error))")
        }
    }

    private static func words(_ error: any Error) -> String {
        let outer = error as NSError
        let cause = outer.userInfo[NSUnderlyingErrorKey] as? NSError ?? outer
        guard cause.domain == NSPOSIXErrorDomain else { return outer.localizedDescription }
        return String(cString: strerror(Int32(cause.code)))
    }
}
