import Foundation

/// Shows bytes of ``FastCodec`` as JSON for people, without their type.
///
/// A record is an object whose keys are the fields' numbers, and `case` for an enum's. Bytes are Base64, dates are texts in
/// ISO 8601, and numbers that JSON does not have are texts. Of a map whose keys are not texts or numbers, the entries are
/// arrays of two.
public enum FastText {
    /// The media type of the bytes.
    public static var contentType: String { "application/vnd.mobius.fast" }

    /// The bytes as JSON.
    ///
    /// - Throws: ``CodingFailure`` for bytes that are not exactly one payload.
    public static func json(of bytes: RawSpan) throws(CodingFailure) -> String {
        do {
            return try bytes.withUnsafeBytes { buffer in
                var reader = PayloadReader(buffer)
                var text = ""
                try reader.show(try reader.elementKind(), in: &text)
                guard reader.remaining == 0 else { throw reader.failure("there are bytes behind the value") }
                return text
            }
        } catch {
            let reason = (error as? FastFailure)?.reason ?? "it is not valid"
            throw CodingFailure(.decoding, type: "a payload", reason: reason)
        }
    }
}

extension PayloadReader {
    fileprivate mutating func show(_ kind: FastKind, in text: inout String) throws {
        self.kind = kind
        switch kind {
        case .unsigned: text += "\(try UInt128(from: &self))"
        case .signed: text += "\(try Int128(from: &self))"
        case .bool: text += "\(try Bool(from: &self))"
        case .float: Self.show(try Float(from: &self), in: &text)
        case .double: Self.show(try Double(from: &self), in: &text)
        case .text: Self.show(try String(from: &self), in: &text)
        case .bytes: Self.show(try Data(from: &self).base64EncodedString(), in: &text)
        case .record: try showRecord(in: &text)
        case .list: try showList(in: &text)
        case .map: try showMap(in: &text)
        case .date: try showDate(in: &text)
        case .uuid: Self.show(try UUID(from: &self).uuidString, in: &text)
        default: throw failure("it is of a kind that is not known")
        }
    }

    private mutating func showRecord(in text: inout String) throws {
        try enter()
        fields = next
        text += "{"
        var separator = ""
        if next < end, next.pointee == FastForm.caseMark {
            text += "\"case\":\(try readCase())"
            separator = ","
        }
        while true {
            let tag = try tag()
            if tag.number == 0 { break }
            text += "\(separator)\"\(tag.number)\":"
            separator = ","
            try show(tag.kind, in: &text)
        }
        text += "}"
        depth -= 1
    }

    private mutating func showList(in text: inout String) throws {
        let count = try beginList([Never].self)
        let kind = kind
        text += "["
        for index in 0..<count {
            if index > 0 { text += "," }
            try show(kind, in: &text)
        }
        text += "]"
        depth -= 1
    }

    private mutating func showMap(in text: inout String) throws {
        try enter()
        let kinds = (try elementKind(), try elementKind())
        let count = try count()
        let isObject = [.text, .unsigned, .signed].contains(kinds.0)
        text += isObject ? "{" : "["
        for index in 0..<count {
            if index > 0 { text += "," }
            if !isObject { text += "[" } else if kinds.0 != .text { text += "\"" }
            try show(kinds.0, in: &text)
            if isObject, kinds.0 != .text { text += "\"" }
            text += isObject ? ":" : ","
            try show(kinds.1, in: &text)
            if !isObject { text += "]" }
        }
        text += isObject ? "}" : "]"
        depth -= 1
    }

    private mutating func showDate(in text: inout String) throws {
        let date = try Date(from: &self)
        // Years that ISO 8601 has without agreement; others are seconds since 2001.
        let years = -62_135_596_800.0..<253_402_300_800
        if years.contains(date.timeIntervalSince1970) {
            Self.show(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)), in: &text)
        } else {
            Self.show(date.timeIntervalSinceReferenceDate, in: &text)
        }
    }

    private static func show<Number: BinaryFloatingPoint & CustomStringConvertible>(
        _ number: Number, in text: inout String
    ) {
        text += number.isFinite ? number.description : "\"\(number)\""
    }

    private static func show(_ string: String, in text: inout String) {
        var output = OutputBytes()
        output.appendText(string)
        text += String(decoding: output.content, as: UTF8.self)
        output.deallocate()
    }
}
