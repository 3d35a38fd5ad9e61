/// Shows any CBOR payload as JSON for people.
public enum CBORText {
    /// The media type of the bytes.
    public static var contentType: String { "application/cbor" }

    /// The data item as JSON text, on one line, which no type is needed for.
    ///
    /// - Bytes are Base64. A `UUID` (tag 37), a `URL` (tag 32) and a date as text (tag 0) are their text; other dates (tags 1 and
    ///   1001) are written like those, in UTC and to the microsecond.
    /// - Bignums (tags 2 and 3) and decimal fractions (tag 4) are numbers; bignums of 16 bytes or more are text in hexadecimal
    ///   digits. What has any other tag is `{"$tag":7,"$value":…}`.
    /// - NaN and infinity are `"NaN"`, `"Infinity"` and `"-Infinity"`; undefined is `null`; simple values are `"simple(7)"`.
    /// - A key that is no text is the text of its number, or the Base64 of its bytes.
    ///
    /// Invalid UTF-8 in a text is replaced. Members with the same key are all shown.
    ///
    /// - Throws: ``CodingFailure`` for bytes that are not exactly one well-formed data item, nested at most 512 deep.
    public static func json(of bytes: RawSpan) throws(CodingFailure) -> String {
        do {
            return try bytes.withUnsafeBytes { buffer in
                var nodes = NodeList()
                defer { nodes.deallocate() }
                try CBORScanner.scan(buffer, into: &nodes)
                return CBORTextWriter.text(of: buffer)
            }
        } catch {
            throw CodingFailure(
                .decoding, type: "CBOR",
                reason: (error as? MalformedBytes).map { "it is not valid CBOR: \($0.reason)" } ?? "it is not valid")
        }
    }
}
