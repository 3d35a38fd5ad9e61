import Foundation

/// What the disk alone needs for a commit.
enum DiskSync {
    // As SQLite writes a commit of one small event: two pages with their headers, to a log that begins anew at 4 MiB.
    private static let commit = 2 * (4096 + 24)
    private static let log = 1000 * (4096 + 24)
    private static let syncs = 2000

    /// The median of many writes of one commit each, in microseconds, to a file in the folder of `path`.
    static func median(beside path: String) throws -> Double {
        let name = path + "-sync"
        let descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw BenchError("Cannot write \(name): errno \(errno).") }
        defer {
            close(descriptor)
            unlink(name)
        }
        let bytes = [UInt8](repeating: 0x5a, count: commit)
        var times: [Double] = []
        for number in 0..<syncs {
            let place = number % (log / commit) * commit
            let time = ContinuousClock().measure {
                pwrite(descriptor, bytes, commit, off_t(place))
                #if canImport(Darwin)
                    fsync(descriptor)
                #else
                    fdatasync(descriptor)
                #endif
            }
            times.append(time / .microseconds(1))
        }
        return times.median
    }
}
