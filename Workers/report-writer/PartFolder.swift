import Foundation
import SiteAudit

/// The folder that keeps the parts of one report until it is put together: in the report's own, so on the same disk.
struct PartFolder {
    /// The folder of the report.
    let directory: URL
    private let folder: URL

    /// Makes the folder where there is none.
    init(_ report: String, in directory: String) throws(ReportFailure) {
        let directory = URL(fileURLWithPath: directory, isDirectory: true)
        let folder = directory.appendingPathComponent(ReportPart.folderName(of: report), isDirectory: true)
        (self.directory, self.folder) = (directory, folder)
        if let file = Self.obstacle(on: directory) {
            throw ReportFailure(reason: "\(file) is a file, not a folder")
        }
        try ReportFailure.explaining(folder) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
    }

    /// The nearest thing on the way that exists, if it is no folder: the system's own words for that tell nobody anything.
    private static func obstacle(on directory: URL) -> String? {
        var place = directory.standardizedFileURL
        var isFolder: ObjCBool = false
        while FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder) == false {
            if place.path == "/" { return nil }
            place.deleteLastPathComponent()
        }
        return isFolder.boolValue ? nil : place.path
    }

    /// Keeps a part; again does no harm.
    func keep(_ rows: ReportRows, number: Int) throws(ReportFailure) {
        let file = part(number)
        // Not synced: what a power failure damages is no JSON, so it is missing later, and is sent again.
        try ReportFailure.explaining(file) { try JSONEncoder().encode(rows).write(to: file, options: .atomic) }
    }

    /// The rows of a part; `nil` when it is missing or damaged.
    func rows(_ number: Int) -> [ReportRow]? {
        guard let data = FileManager.default.contents(atPath: part(number).path) else { return nil }
        return (try? JSONDecoder().decode(ReportRows.self, from: data))?.rows
    }

    private func part(_ number: Int) -> URL { folder.appendingPathComponent("part-\(number)") }

    /// A new folder in this one, for one attempt to put the report together: another may still be at it.
    func workplace() throws(ReportFailure) -> URL {
        let place = folder.appendingPathComponent(UUID().uuidString, isDirectory: true)
        try ReportFailure.explaining(place) {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        }
        return place
    }

    /// Whether another writer has removed it.
    var isGone: Bool { FileManager.default.fileExists(atPath: folder.path) == false }

    /// Removes it with all that is in it; what cannot be removed now is removed by the next writer.
    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Removes it and all others beside it: audits that were killed left them.
    ///
    /// An audit that goes on beside this one, for the same place, sends its parts again.
    func removeAll() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(ReportPart.folderPrefix) {
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(name, isDirectory: true))
        }
    }
}
