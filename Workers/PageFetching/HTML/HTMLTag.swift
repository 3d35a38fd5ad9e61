/// A start or end tag, valid as long as the text in which it stands.
package struct HTMLTag {
    /// The text as a whole.
    let text: UnsafeBufferPointer<UInt8>
    /// The offset of the tag's `<`.
    package var offset = 0
    /// Whether it is an end tag.
    package var isEnd = false
    /// Whether it is written `<name/>`, which means something in SVG and MathML.
    var isSelfClosing = false
    /// The range of its name.
    var nameRange = 0..<0
    /// The element of that name; `nil` for one that does not matter.
    package var element: HTMLElement?
    /// The attributes as written, in order.
    var attributes: [Attribute] = []

    /// An attribute's name, and its value as written without its quotes: empty when it has none.
    struct Attribute {
        var name: Range<Int>
        var value: Range<Int>
    }

    init(in text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// The name in lower case.
    package var name: String { String(decoding: text[nameRange], as: UTF8.self).lowercasedASCII }

    /// The value of an attribute with its character references decoded: empty when it was written without one, `nil`
    /// when it is absent.
    package subscript(_ name: StaticString) -> String? {
        written(name).map(CharacterReferences.decode)
    }

    /// The value of an attribute as it is written; of two attributes with one name the first counts.
    func written(_ name: StaticString) -> Slice<UnsafeBufferPointer<UInt8>>? {
        for attribute in attributes where isName(attribute.name, name) { return text[attribute.value] }
        return nil
    }

    private func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        for index in 0..<range.count where text[range.lowerBound + index].lowercasedASCII != name.utf8Start[index] {
            return false
        }
        return true
    }
}

extension UInt8 {
    /// A letter in lower case, and any other byte as it is.
    var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
    /// Whether it is an ASCII letter.
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    /// Whether it is an ASCII digit.
    var isDigit: Bool { (0x30...0x39).contains(self) }
    /// Whether HTML takes it for white space.
    var isHTMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C }
}

extension String {
    /// With its ASCII letters in lower case.
    var lowercasedASCII: String { String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self) }
}
