/// The elements that hold an address, or change how the tags after them are read.
package enum HTMLElement: String, CaseIterable, Sendable {
    case a, area, audio, base, body, embed, frame, iframe, image, img, input, link, meta, object, picture, script,
        source
    case table, td, template, th, track, use, video
    /// These hold text: a tag in them is none.
    case noembed, noframes, plaintext, style, textarea, title, xmp
    /// SVG, MathML, and those of their elements in which HTML may stand.
    case svg, math, desc, foreignObject = "foreignobject", annotationXML = "annotation-xml", mi, mn, mo, ms, mtext

    /// The element of this name, in any case; `nil` for one that does not matter.
    init?(_ name: Slice<UnsafeBufferPointer<UInt8>>) {
        // Nearly all tags of a page end here, at a fifth of the cost of a look-up.
        guard name.count < Self.lengths.endIndex, let first = name.first,
            Self.lengths[name.count] >> UInt32(first & 0x1F) & 1 == 1
        else { return nil }
        guard let element = Self.byName[String(decoding: name, as: UTF8.self).lowercasedASCII] else { return nil }
        self = element
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// The first letters of the names of each length, a bit for each.
    private static let lengths: [UInt32] = {
        var lengths = [UInt32](repeating: 0, count: 15)
        for name in allCases.map(\.rawValue.utf8) {
            lengths[name.count] |= 1 << UInt32(name.first.map { $0 & 0x1F } ?? 0)
        }
        return lengths
    }()
}
