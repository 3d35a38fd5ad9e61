import Foundation

/// Where an applied event came from, as the journal's file says it.
struct AuditedSource {
    /// The whole of it: equal for equal sources.
    var text: String
    /// A worker's report.
    var report: JournalAudit.Report?
    /// The key of an event from outside.
    var key: String?
}

/// Reads the content of one row of `runs`: records one after the other, all numbers in base 128, low digits first.
struct AuditedRun {
    /// The bytes are no records.
    struct Unreadable: Error {}

    private let bytes: [UInt8]
    private var position = 0
    private var sequence: Int

    /// Begins with a record of the event `sequence`: the event itself, or a note on it.
    init(_ content: Data, startsAt sequence: Int, isEvent: Bool) {
        bytes = Array(content)
        self.sequence = isEvent ? sequence - 1 : sequence
    }

    /// The source of the next event; `nil` at the end.
    ///
    /// Notes are passed over.
    mutating func nextSource() throws -> AuditedSource? {
        while position < bytes.count {
            let head = try byte() & 0x7f
            if [0, 1, 2, 3, 10, 11, 14].contains(head) { return try event(head) }
            try skipNote(head)
        }
        return nil
    }

    private mutating func event(_ head: UInt8) throws -> AuditedSource {
        sequence += 1
        _ = try number()  // when it was applied
        let source: AuditedSource
        switch head {
        case 0: source = AuditedSource(text: "start \(sequence)")
        case 11:
            let numbers = (try number(), try number())
            source = AuditedSource(text: "loop \(numbers) \(String(decoding: try content(), as: UTF8.self))")
        case 3:
            let key = String(decoding: try content(), as: UTF8.self)
            source = AuditedSource(text: "outside \(key)", key: key)
        default:
            let effect = try effect()
            // An answer's effect is all of it.
            let numbers = try (0..<(head == 1 ? 3 : head == 14 ? 0 : 1)).map { _ in try number() }
            source = AuditedSource(
                text: "\(head) \(effect) \(numbers)",
                report: head == 1
                    ? JournalAudit.Report(effect: effect, epoch: numbers[0], number: numbers[1], report: numbers[2])
                    : nil)
        }
        try skipPayload()
        let effects = try number()
        for _ in 0..<effects { try skipPayload() }
        if effects > 0 {
            for _ in 0..<(try number()) { _ = (try number(), try number()) }
        }
        return source
    }

    private mutating func skipNote(_ head: UInt8) throws {
        _ = try effect()
        switch head {
        case 4, 9: break
        case 5: _ = (try number(), try number())
        case 6: _ = try number()
        case 7:
            _ = try content()
            try skipPayload()
            _ = (try number(), try number(), try number())
        case 8:
            try skipPayload()
            _ = (try number(), try number())
        case 12: _ = (try number(), try number(), try number())
        case 13: _ = (try byte(), try content())
        case 15:
            switch try number() {
            case 0: break
            case 1: try skipPayload()
            case 2: _ = try content()
            default: throw Unreadable()
            }
        default: throw Unreadable()
        }
    }

    /// As `sequence/index`.
    private mutating func effect() throws -> String {
        let ago = try number()
        return "\(sequence - ago)/\(try number())"
    }

    private mutating func skipPayload() throws {
        if try number() > 0 { _ = try content() }
    }

    private mutating func content() throws -> ArraySlice<UInt8> {
        let count = try number()
        guard count >= 0, count <= bytes.count - position else { throw Unreadable() }
        defer { position += count }
        return bytes[position..<position + count]
    }

    private mutating func number() throws -> Int {
        var (value, shift) = (UInt64(0), UInt64(0))
        while true {
            let byte = try byte()
            guard shift < 64 else { throw Unreadable() }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return Int(truncatingIfNeeded: value) }
            shift += 7
        }
    }

    private mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw Unreadable() }
        defer { position += 1 }
        return bytes[position]
    }
}
