import Foundation
import SiteAudit

/// A file that is written in order, 64 KiB at a time.
struct OutputFile: ~Copyable {
    private static let bufferSize = 64 << 10

    let url: URL
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

    mutating func write(_ row: ReportRow) throws(ReportFailure) {
        row.appendRecord(to: &buffer)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    private mutating func flush() throws(ReportFailure) {
        let data = Data(buffer)
        let handle = handle
        try ReportFailure.explaining(url) { try handle.write(contentsOf: data) }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the rest; when it `syncs`, the disk has all of it.
    consuming func close(syncs: Bool) throws(ReportFailure) {
        try flush()
        let handle = handle
        try ReportFailure.explaining(url) {
            if syncs { try handle.synchronize() }
            try handle.close()
        }
    }
}

/// Rows in a file, in their order: each as its record.
struct RowFile: RowSource {
    private static let bufferSize = 64 << 10

    private let url: URL
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var position = 0

    init(_ url: URL) throws(ReportFailure) {
        self.url = url
        handle = try ReportFailure.explaining(url) { try FileHandle(forReadingFrom: url) }
    }

    mutating func next() throws(ReportFailure) -> ReportRow? {
        guard try has(4) else { return nil }
        let size = (0..<4).reduce(0) { $0 | Int(buffer[position + $1]) << (8 * $1) }
        guard try has(4 + size), let row = ReportRow(record: buffer[(position + 4)..<(position + 4 + size)]) else {
            throw ReportFailure(reason: "\(url.path): another program has changed it")
        }
        position += 4 + size
        return row
    }

    /// Whether so many bytes are left, which then are in the buffer.
    private mutating func has(_ count: Int) throws(ReportFailure) -> Bool {
        while buffer.count - position < count {
            buffer.removeFirst(position)
            position = 0
            let handle = handle
            let data = try ReportFailure.explaining(url) { try handle.read(upToCount: Self.bufferSize) }
            guard let data, data.isEmpty == false else { return false }
            buffer.append(contentsOf: data)
        }
        return true
    }
}
