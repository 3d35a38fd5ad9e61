import Foundation

/// Why a file could not be written.
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
