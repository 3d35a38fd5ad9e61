import Foundation

/// A line of a file with events: a bare event, or an object with `event` and perhaps `loop` and `key`.
package struct BulkLine: Equatable {
    /// The reason why a line is no event.
    package struct Failure: Error, Equatable {
        /// A clause.
        package let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    /// The loop that the line names.
    package let loop: String?
    /// The key that the line names.
    package let key: String?
    /// The event's bytes.
    package let event: [UInt8]

    /// Reads a line that has other characters than spaces.
    ///
    /// Only its outline is checked: strings and brackets must end. The coordinator checks the rest.
    ///
    /// - Parameter isBare: Whether an object with the key `event` is an event, too.
    package init(_ line: [UInt8], isBare: Bool = false) throws(Failure) {
        var scan = Outline(line)
        let members = try scan.members()
        guard !isBare, let members, let event = members["event"], Self.isEnvelope(members) else {
            (loop, key, self.event) = (nil, nil, line)
            return
        }
        loop = try Self.text("loop", members, line)
        key = try Self.text("key", members, line)
        self.event = Array(line[event])
    }

    /// Whether the line itself names a loop or a key for its event.
    package var isEnvelope: Bool { loop != nil || key != nil }

    private static func isEnvelope(_ members: [String: Range<Int>]) -> Bool {
        members.keys.allSatisfy { ["event", "loop", "key"].contains($0) }
    }

    private static func text(
        _ name: String, _ members: [String: Range<Int>], _ line: [UInt8]
    ) throws(Failure) -> String? {
        guard let range = members[name] else { return nil }
        guard let text = try? JSONDecoder().decode(String.self, from: Data(line[range])) else {
            throw Failure("its \(name) is no string")
        }
        return text
    }
}

/// Finds the members of a JSON object without reading their values.
private struct Outline {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The places of the values by key if the text is an object of few keys; `nil` for any other value.
    mutating func members() throws(BulkLine.Failure) -> [String: Range<Int>]? {
        skipSpace()
        guard peek == UInt8(ascii: "{") else {
            try skipValue()
            try end()
            return nil
        }
        at += 1
        skipSpace()
        var members: [String: Range<Int>]? = [:]
        if peek == UInt8(ascii: "}") {
            at += 1
        } else {
            repeat {
                skipSpace()
                let name = at
                try skipString()
                let key = String(decoding: bytes[name + 1..<at - 1], as: UTF8.self)
                skipSpace()
                guard consume() == UInt8(ascii: ":") else { throw .init("it is not JSON") }
                skipSpace()
                let start = at
                try skipValue()
                // More keys than an envelope has.
                if members.map({ $0.count < 4 }) ?? false { members?[key] = start..<at } else { members = nil }
                skipSpace()
            } while try consumeComma()
        }
        try end()
        return members
    }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func consume() -> UInt8? {
        guard at < bytes.count else { return nil }
        at += 1
        return bytes[at - 1]
    }

    private mutating func consumeComma() throws(BulkLine.Failure) -> Bool {
        switch consume() {
        case UInt8(ascii: ","): return true
        case UInt8(ascii: "}"): return false
        default: throw .init("it is not JSON")
        }
    }

    private mutating func end() throws(BulkLine.Failure) {
        skipSpace()
        guard at == bytes.count else { throw .init("it is not one JSON value") }
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A { at += 1 }
    }

    private mutating func skipString() throws(BulkLine.Failure) {
        guard consume() == UInt8(ascii: "\"") else { throw .init("it is not JSON") }
        while let byte = consume() {
            if byte == UInt8(ascii: "\"") { return }
            if byte == UInt8(ascii: "\\") { at += 1 }
        }
        throw .init("it is not JSON: a string has no end")
    }

    /// Skips a value, with brackets counted together.
    private mutating func skipValue() throws(BulkLine.Failure) {
        var depth = 0
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                try skipString()
                if depth == 0 { return }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                at += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { throw .init("it is not JSON") }
                depth -= 1
                at += 1
                if depth == 0 { return }
            case _ where depth == 0:
                try skipWord()
                return
            default: at += 1
            }
        }
        throw .init(depth == 0 ? "it is not JSON" : "it is not JSON: a bracket is not closed")
    }

    /// Skips a number, `true`, `false` or `null`.
    private mutating func skipWord() throws(BulkLine.Failure) {
        let start = at
        while let byte = peek, Self.word.contains(byte) { at += 1 }
        let words = ["true", "false", "null"].map { Array($0.utf8) }
        let isNumber = bytes[start] == UInt8(ascii: "-") || (0x30...0x39).contains(bytes[start])
        guard at > start, isNumber || words.contains(Array(bytes[start..<at])) else { throw .init("it is not JSON") }
    }

    private static let word = Set("0123456789+-.eEtruefalsn".utf8)
}
