import Foundation

/// A file that is written in order, 64 KiB at a time.
struct OutputFile: ~Copyable {
    private static let bufferSize = 64 << 10

    private let url: URL
    private let handle: FileHandle
    private var buffer: [UInt8] = []

    init(_ url: URL) throws(ReportFailure) {
        self.url = url
        handle = try ReportFailure.explaining(url) {
            try Data().write(to: url)
            return try FileHandle(forWritingTo: url)
        }
    }

    mutating func write(_ text: String) throws(ReportFailure) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    private mutating func flush() throws(ReportFailure) {
        let data = Data(buffer)
        let handle = handle
        try ReportFailure.explaining(url) { try handle.write(contentsOf: data) }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the rest, and waits until the disk has it.
    consuming func close() throws(ReportFailure) {
        try flush()
        let handle = handle
        try ReportFailure.explaining(url) {
            try handle.synchronize()
            try handle.close()
        }
    }
}

/// The reason why a file could not be written.
struct ReportFailure: Error {
    /// In the words of the operating system, with the path.
    let reason: String

    /// Does something with the file or folder at this place.
    static func explaining<Result>(_ place: URL, _ body: () throws -> Result) throws(ReportFailure) -> Result {
        do {
            return try body()
        } catch {
            throw ReportFailure(reason: "\(place.path): \(words(error))")
        }
    }

    private static func words(_ error: any Error) -> String {
        let outer = error as NSError
        let cause = outer.userInfo[NSUnderlyingErrorKey] as? NSError ?? outer
        guard cause.domain == NSPOSIXErrorDomain else { return outer.localizedDescription }
        return String(cString: strerror(Int32(cause.code)))
    }
}
